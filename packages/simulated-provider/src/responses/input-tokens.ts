import type { ChatRequest } from '../chat/chat-request.ts';
import { promptTokens } from '../chat/chat-usage.ts';
import { pagesOf, TOKENS_PER_PAGE } from '../text/pdf-pages.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { ContentPart } from './content-part.ts';
import { decryptReasoning } from './encrypted-reasoning.ts';
import type { InputItem } from './input-item.ts';

/** The tokens of a conversation: those of the same chat, and of what a chat does not have. */
export function inputTokens(chat: ChatRequest, context: readonly InputItem[], tokenizer: Tokenizer): number {
  return context.reduce((sum, item) => sum + furtherTokens(item, tokenizer), promptTokens(chat, tokenizer));
}

function furtherTokens(item: InputItem, tokenizer: Tokenizer): number {
  switch (item.type) {
    case 'message':
      return fileTokens(item.content, tokenizer);
    case 'function_call_output':
    case 'custom_tool_call_output':
      return typeof item.output === 'string' ? 0 : fileTokens(item.output, tokenizer);
    case 'reasoning':
      return tokenizer.count(decryptReasoning(item.encrypted_content ?? '')?.thinking ?? '');
    default:
      return 0;
  }
}

function fileTokens(parts: readonly ContentPart[], tokenizer: Tokenizer): number {
  return parts.reduce((sum, part) => {
    return part.type === 'input_file' ? sum + tokensOfFile(part.file_data ?? '', tokenizer) : sum;
  }, 0);
}

/** @param file a `data:` URL; of a file that is kept elsewhere nothing is known, so it counts as one page */
function tokensOfFile(file: string, tokenizer: Tokenizer): number {
  const [head = '', data = ''] = file.split(';base64,');
  if (!head.startsWith('data:text/')) return TOKENS_PER_PAGE * pagesOf(data);
  return tokenizer.count(Buffer.from(data, 'base64').toString());
}
