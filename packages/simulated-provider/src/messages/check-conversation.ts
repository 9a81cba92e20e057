import { refuse } from '../errors/provider-error.ts';
import { checkToolTurns } from './check-tool-turns.ts';
import { cacheControlOf } from './content-block.ts';
import { endsWithResults, type MessagesRequest, type RequestMessage, turnsOf } from './messages-request.ts';
import { isSealedThinking, isSignedThinking } from './thinking-signature.ts';

/** https://docs.claude.com/en/docs/build-with-claude/prompt-caching. */
const MAX_CACHE_MARKS = 4;

/** Prefix of the beta features that allow instructions between turns. Claude Code uses one. */
const MID_CONVERSATION = 'mid-conversation-';

export interface ConversationRules {
  /** The beta features that the request asks for. */
  betas: readonly string[];
  /** Merges consecutive messages of one role, as Anthropic does today. */
  mergeRoles: boolean;
}

/** Checks the messages of a request as a whole. @throws ProviderError 400 */
export function checkConversation(request: MessagesRequest, { betas, mergeRoles }: ConversationRules): void {
  const turns = turnsOf(request);
  const mayInstruct = betas.some((beta) => beta.startsWith(MID_CONVERSATION));
  checkRoles(request.messages, mayInstruct);
  checkOrder(turns, mergeRoles);
  for (const [index, message] of request.messages.entries()) checkContent(message, index, request);
  checkToolTurns(mergeRoles ? merged(turns) : turns);
  checkThinkingBeforeCalls(request);
  checkPrefill(turns);
  checkCacheMarks(request);
}

function checkRoles(messages: readonly RequestMessage[], mayInstruct: boolean): void {
  for (const [index, { role }] of messages.entries()) {
    if (role === 'system' && mayInstruct) continue;
    if (role === 'system') {
      refuse(
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, ' +
          'not "system" as an input message role.',
      );
    }
    if (role !== 'user' && role !== 'assistant') {
      refuse(`messages.${index}.role: Input should be 'user' or 'assistant'`);
    }
  }
}

function checkOrder(turns: readonly RequestMessage[], mergeRoles: boolean): void {
  if (turns[0]?.role !== 'user') refuse('messages: first message must use the "user" role');
  for (const [index, { role }] of turns.entries()) {
    if (mergeRoles || turns[index - 1]?.role !== role) continue;
    refuse(
      'messages: roles must alternate between "user" and "assistant", ' +
        `but found multiple "${role}" roles in a row`,
    );
  }
}

function checkContent({ content, role }: RequestMessage, index: number, { messages }: MessagesRequest): void {
  const isPrefill = role === 'assistant' && index === messages.length - 1;
  if (content.length === 0 && !isPrefill) {
    refuse(
      `messages.${index}: all messages must have non-empty content ` +
        'except for the optional final assistant message',
    );
  }
  for (const [position, block] of content.entries()) {
    const path = `messages.${index}.content.${position}`;
    if (block.type === 'text') {
      if (block.text === '') refuse('messages: text content blocks must be non-empty');
      if (!/\S/.test(block.text)) refuse('messages: text content blocks must contain non-whitespace text');
    }
    const isUserBlock = ['image', 'document', 'tool_result'].includes(block.type);
    const isAssistantBlock = ['tool_use', 'thinking', 'redacted_thinking'].includes(block.type);
    if ((isUserBlock && role !== 'user') || (isAssistantBlock && role !== 'assistant')) {
      refuse(`${path}: \`${block.type}\` blocks are not permitted in messages of the role ${role}`);
    }
    if (block.type === 'thinking' && !isSignedThinking(block.thinking, block.signature)) {
      refuse(`${path}: Invalid \`signature\` in \`thinking\` block`);
    }
    if (block.type === 'redacted_thinking' && !isSealedThinking(block.data)) {
      refuse(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
    }
  }
}

/** With thinking enabled, results of calls are refused without the thinking that preceded the calls. */
function checkThinkingBeforeCalls(request: MessagesRequest): void {
  const { messages, thinking } = request;
  if (thinking?.type !== 'enabled' || !endsWithResults(request)) return;
  const index = messages.findLastIndex(({ role }) => role === 'assistant');
  const found = messages[index]?.content[0]?.type;
  if (found === undefined || found === 'thinking' || found === 'redacted_thinking') return;
  refuse(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, ` +
      `but found \`${found}\`. ` +
      'When `thinking` is enabled, a final `assistant` message must start with a thinking block ' +
      '(preceding the lastmost set of `tool_use` and `tool_result` blocks).',
  );
}

function checkPrefill(turns: readonly RequestMessage[]): void {
  const last = turns.at(-1);
  const block = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  if (block?.type === 'text' && /\s$/.test(block.text)) {
    refuse('messages: final assistant content cannot end with trailing whitespace');
  }
}

function checkCacheMarks({ cache_control, messages, system, tools }: MessagesRequest): void {
  const marks = [
    ...(tools ?? []).map((tool) => tool.cache_control),
    ...(system ?? []).map((block) => block.cache_control),
    ...messages.flatMap(({ content }) => content.map(cacheControlOf)),
    cache_control,
  ].filter((mark) => mark !== null && mark !== undefined);
  if (marks.length > MAX_CACHE_MARKS) {
    refuse(
      `A maximum of ${MAX_CACHE_MARKS} blocks with cache_control may be provided. Found ${marks.length}.`,
    );
  }
  const firstShort = marks.findIndex(({ ttl }) => ttl !== '1h');
  if (firstShort !== -1 && marks.slice(firstShort).some(({ ttl }) => ttl === '1h')) {
    refuse("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block");
  }
}

function merged(messages: readonly RequestMessage[]): RequestMessage[] {
  const turns: RequestMessage[] = [];
  for (const { content, role } of messages) {
    const last = turns.at(-1);
    if (last?.role === role) last.content = [...last.content, ...content];
    else turns.push({ content, role });
  }
  return turns;
}
