import { ProviderError } from '../errors/provider-error.ts';
import { decryptReasoning } from './encrypted-reasoning.ts';
import { missing, refusal } from './explain-openai-issue.ts';
import type { InputItem, ResolvedInput } from './input-item.ts';
import type { ResponsesRequest } from './responses-request.ts';
import type { StoredResponses } from './stored-responses.ts';

/** @throws ProviderError 404 for what is not stored here, 400 for reasoning that was changed */
export function resolveInput(request: ResponsesRequest, stored: StoredResponses): ResolvedInput {
  const items = itemsOf(request).map((item, index) => resolvedItem(item, index, stored));
  const { previous_response_id: previousId } = request;
  if (!previousId) return { items, context: items };
  const previous = stored.find(previousId);
  if (previous === undefined) {
    throw new ProviderError(404, `Previous response with id '${previousId}' not found.`, {
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    });
  }
  return { items, context: [...previous.context, ...previous.response.output, ...items] };
}

function itemsOf({ input }: ResponsesRequest): InputItem[] {
  if (typeof input !== 'string') return input ?? [];
  return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
}

function resolvedItem(item: InputItem, index: number, stored: StoredResponses): InputItem {
  if (item.type === 'item_reference') return stored.findItem(item.id) ?? refuseUnknownItem(item.id);
  if (item.type !== 'reasoning') return item;
  const { encrypted_content: encrypted, id } = item;
  if (encrypted) {
    const read = decryptReasoning(encrypted);
    if (read === undefined) refuseEncrypted(encrypted, 'Encrypted content could not be decrypted or parsed.');
    if (id && id !== read.id) {
      refuseEncrypted(encrypted, 'Encrypted content item_id did not match the target item id.');
    }
    return item;
  }
  if (!id) throw refusal(missing(`input[${index}].encrypted_content`));
  return stored.findItem(id) ?? refuseUnknownItem(id);
}

function refuseUnknownItem(id: string): never {
  throw new ProviderError(
    404,
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.',
    { param: 'input' },
  );
}

function refuseEncrypted(content: string, reason: string): never {
  const shown = `${content.slice(0, 4)}...${content.slice(-4)}`;
  throw new ProviderError(400, `The encrypted content ${shown} could not be verified. Reason: ${reason}`, {
    code: 'invalid_encrypted_content',
  });
}
