import { countPages, countTokens } from '../text/tokenizer.ts';
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

export function sumOf({ audio, document, image, text }: PromptTokens): number {
  return audio + document + image + text;
}

/** Counts a prompt by modality. */
export function promptTokensByModality({ contents, systemInstruction, tools }: ContentRequest): PromptTokens {
  const ofTools = tools === undefined ? 0 : countTokens(JSON.stringify(tools));
  const tokens = { text: ofTools, image: 0, audio: 0, document: 0 };
  for (const part of [...(systemInstruction?.parts ?? []), ...contents.flatMap(({ parts }) => parts)]) {
    const { kind, count } = partTokens(part);
    tokens[kind] += count;
  }
  return tokens;
}

function partTokens(part: Part): { kind: keyof PromptTokens; count: number } {
  const { fileData, functionCall, functionResponse, inlineData, text } = part;
  const type = inlineData?.mimeType ?? fileData?.mimeType ?? '';
  const data = inlineData?.data ?? '';
  if (type.startsWith('image/')) return { kind: 'image', count: TOKENS_PER_IMAGE };
  if (type.startsWith('audio/')) {
    const seconds = Math.ceil(Buffer.byteLength(data, 'base64') / AUDIO_BYTES_PER_SECOND);
    return { kind: 'audio', count: TOKENS_PER_AUDIO_SECOND * seconds };
  }
  if (type !== '') return { kind: 'document', count: TOKENS_PER_PDF_PAGE * countPages(data) };
  const words = text ?? JSON.stringify(functionCall ?? functionResponse) ?? '';
  return { kind: 'text', count: countTokens(words) };
}
