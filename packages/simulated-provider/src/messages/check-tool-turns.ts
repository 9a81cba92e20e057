import { refuse } from '../errors/provider-error.ts';
import type { RequestMessage } from './messages-request.ts';

/**
 * Checks that each tool call has its result at the beginning of the next message, and each result its call in
 * the message before.
 * @param messages without instructions between them: positions in errors do not count these
 * @throws ProviderError 400
 */
export function checkToolTurns(messages: readonly RequestMessage[]): void {
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    for (const [position, id] of callIds(message)) {
      if (seen.has(id)) refuse(`messages.${index}.content.${position}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
    const called = new Set(callIds(messages[index - 1]).values());
    const answered = checkResults(message, index, called);
    const open = [...called].filter((id) => !answered.has(id));
    if (open.length > 0) refuseOpenCalls(index - 1, open);
  }
  const last = messages.length - 1;
  const open = [...callIds(messages[last]).values()];
  if (open.length > 0) refuseOpenCalls(last, open);
}

/** @returns the ids of calls that have a result in this message */
function checkResults(
  { content }: RequestMessage,
  index: number,
  called: ReadonlySet<string>,
): ReadonlySet<string> {
  const answered = new Set<string>();
  let isAfterOtherBlock = false;
  for (const [position, block] of content.entries()) {
    if (block.type !== 'tool_result') {
      isAfterOtherBlock = true;
      continue;
    }
    const id = block.tool_use_id;
    const path = `messages.${index}.content.${position}`;
    if (!called.has(id)) {
      refuse(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` ` +
          'block must have a corresponding `tool_use` block in the previous message.',
      );
    }
    if (answered.has(id)) {
      refuse(
        `${path}: each tool_use must have a single result. ` +
          `Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    // Anthropic does not find a result that follows another block.
    if (!isAfterOtherBlock) answered.add(id);
  }
  return answered;
}

function callIds(message: RequestMessage | undefined): Map<number, string> {
  const blocks = [...(message?.content ?? []).entries()];
  return new Map(
    blocks.flatMap(([position, block]): [number, string][] =>
      block.type === 'tool_use' ? [[position, block.id]] : [],
    ),
  );
}

function refuseOpenCalls(index: number, ids: readonly string[]): never {
  refuse(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block ` +
      'in the next message.',
  );
}
