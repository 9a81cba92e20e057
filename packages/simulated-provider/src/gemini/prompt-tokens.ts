import { pagesOf } from '../text/pdf-pages.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { ContentRequest, Part } from './content-request.ts';

/** Source: "Understand and count tokens" of Google's guides. */
const TOKENS_PER_IMAGE = 258;
const TOKENS_PER_PDF_PAGE = 258;
const TOKENS_PER_AUDIO_SECOND = 32;
/** Bytes per second of MP3 at its usual rate. */
const AUDIO_BYTES_PER_SECOND = 16_000;

export interface PromptTokens {
  text: number;
  image: number;
  audio: number;
  document: number;
}

/** Counts a prompt by modality. */
export function promptTokens(request: ContentRequest, tokenizer: Tokenizer): PromptTokens {
  const tokens = { text: 0, image: 0, audio: 0, document: 0 };
  const { contents, systemInstruction, tools } = request;
  if (tools !== undefined) tokens.text += tokenizer.count(JSON.stringify(tools));
  const parts = [...(systemInstruction?.parts ?? []), ...contents.flatMap((content) => content.parts)];
  for (const part of parts) {
    const { kind, count } = ofPart(part, tokenizer);
    tokens[kind] += count;
  }
  return tokens;
}

function ofPart(part: Part, tokenizer: Tokenizer): { kind: keyof PromptTokens; count: number } {
  const { fileData, functionCall, functionResponse, inlineData, text } = part;
  const said = text ?? JSON.stringify(functionCall ?? functionResponse);
  const type = inlineData?.mimeType ?? fileData?.mimeType ?? '';
  const data = inlineData?.data ?? '';
  if (type.startsWith('image/')) return { kind: 'image', count: TOKENS_PER_IMAGE };
  if (type.startsWith('audio/')) {
    const seconds = Math.ceil(Buffer.byteLength(data, 'base64') / AUDIO_BYTES_PER_SECOND);
    return { kind: 'audio', count: TOKENS_PER_AUDIO_SECOND * seconds };
  }
  if (type !== '') return { kind: 'document', count: TOKENS_PER_PDF_PAGE * pagesOf(data) };
  return { kind: 'text', count: tokenizer.count(said ?? '') };
}
