import { writeExactJson } from '../../json/exact-json.ts';
import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { objectAt, textAt } from '../../translation/field-values.ts';
import type { AssistantTurn } from '../chat-request/assistant-turn.ts';
import { refusedType } from '../chat-request/refused-type.ts';
import type { ToolNames } from '../chat-request/tool-names.ts';
import { readImageMarkdown } from './image-markdown.ts';
import { messagesBlockMembers } from './messages-block-members.ts';
import { encryptedDetail, readCarriedReasoning, signedDetail } from './messages-carried-reasoning.ts';

/** @throws GatewayError 400 for a block that Chat Completions cannot express */
export function convertAssistantBlockToChat(
  turn: AssistantTurn,
  { names, reader }: { reader: FieldReader; names: ToolNames },
  block: JsonObject,
  at: string,
): void {
  const type = textAt(block.type, `${at}.type`);
  const add = ADDERS.get(type);
  if (add === undefined) throw refusedType(reader, 'content', type, at);
  add(turn, messagesBlockMembers(reader, block, at), at, names);
}

type Adder = (turn: AssistantTurn, block: JsonObject, at: string, names: ToolNames) => void;

const ADDERS = new Map<string, Adder>([
  ['text', addText],
  ['tool_use', addCall],
  ['thinking', addThinking],
  ['redacted_thinking', addRedacted],
]);

function addText(turn: AssistantTurn, { text }: JsonObject, at: string): void {
  for (const piece of readImageMarkdown(textAt(text, `${at}.text`))) {
    if ('url' in piece) turn.addPicture(piece.url);
    else turn.addText(piece.text);
  }
}

function addCall(turn: AssistantTurn, { id, input, name }: JsonObject, at: string, names: ToolNames): void {
  turn.addCall({
    id: textAt(id, `${at}.id`),
    name: names.of(textAt(name, `${at}.name`)),
    at,
    args: writeExactJson(input === undefined ? {} : objectAt(input, `${at}.input`)),
  });
}

function addThinking(turn: AssistantTurn, { signature, thinking }: JsonObject, at: string): void {
  const text = textAt(thinking, `${at}.thinking`);
  const sign = signature === undefined ? '' : textAt(signature, `${at}.signature`);
  const carried = readCarriedReasoning(sign);
  if (carried?.detail !== undefined) {
    turn.addDetail({ ...carried.detail, text });
    return;
  }
  turn.addReasoning(text, carried?.field);
  if (carried === undefined && sign !== '') turn.addDetail(signedDetail(text, sign));
}

function addRedacted(turn: AssistantTurn, { data }: JsonObject, at: string): void {
  const opaque = textAt(data, `${at}.data`);
  const carried = readCarriedReasoning(opaque);
  if (carried?.call !== undefined) turn.addExtra(carried.call.id, carried.call.extra_content);
  else turn.addDetail(carried?.detail ?? encryptedDetail(opaque));
}
