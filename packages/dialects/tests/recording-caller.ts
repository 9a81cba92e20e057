import type { ChatCaller } from '../src/interfaces/chat-caller.ts';
import { isObject, type JsonObject } from '../src/json/json-object.ts';
import type { CountedUsage } from '../src/usage/counted-usage.ts';
import type { ChatResponse } from '../src/usage/parse-chat-response.ts';

/** A caller of Chat Completions that keeps what it is given. */
export function recordingCaller() {
  const deltas: JsonObject[] = [];
  const reasons: unknown[] = [];
  const counted: CountedUsage[] = [];
  const completions: ChatResponse[] = [];
  const served: unknown[] = [];
  let ends = 0;
  const caller: ChatCaller = {
    restart: () => undefined,
    chunk: ({ choices: [choice] }) => {
      if (isObject(choice?.delta) && Object.keys(choice.delta).length > 0) deltas.push(choice.delta);
      if (choice?.finish_reason) reasons.push(choice.finish_reason);
      return 'x';
    },
    end: () => {
      ends += 1;
      return 'end';
    },
    completion: (completion) => {
      completions.push(completion);
      return { body: completion, usage: undefined };
    },
    count: (usage) => {
      counted.push(usage);
    },
    reportTier: (tier) => {
      if (tier !== undefined) served.push(tier);
    },
  };
  return { caller, completions, counted, deltas, reasons, served, ends: () => ends };
}
