import type { ChatRequest } from '../chat/chat-request.ts';
import { promptTokens } from '../chat/chat-usage.ts';
import { countPages, countTokens, TOKENS_PER_PAGE } from '../text/tokenizer.ts';
import type { ContentPart } from './content-part.ts';
import { decryptReasoning } from './encrypted-reasoning.ts';
import type { InputItem } from './input-item.ts';

/** Counts a conversation: the same chat, and the files and reasoning that a chat does not have. */
export function inputTokens(chat: ChatRequest, context: readonly InputItem[]): number {
  return context.reduce((sum, item) => sum + furtherTokens(item), promptTokens(chat));
}

function furtherTokens(item: InputItem): number {
  switch (item.type) {
    case 'message':
      return fileTokens(item.content);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return typeof item.output === 'string' ? 0 : fileTokens(item.output);
    case 'reasoning':
      return countTokens(decryptReasoning(item.encrypted_content ?? '')?.thinking ?? '');
    default:
      return 0;
  }
}

function fileTokens(parts: readonly ContentPart[]): number {
  return parts.reduce((sum, part) => {
    return part.type === 'input_file' ? sum + tokensOfFile(part.file_data ?? '') : sum;
  }, 0);
}

/** @param file a `data:` URL; empty for a file stored elsewhere, which counts as one page */
function tokensOfFile(file: string): number {
  const [head = '', data = ''] = file.split(';base64,');
  if (!head.startsWith('data:text/')) return TOKENS_PER_PAGE * countPages(data);
  return countTokens(Buffer.from(data, 'base64').toString());
}
