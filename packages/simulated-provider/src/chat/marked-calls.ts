import { type ChatMessage, messageText } from './chat-request.ts';
import { commandCalls } from './command-tools.ts';
import type { PlannedCall } from './planned-call.ts';

/** The calls by which what is wanted can be done; that is meant whose tool the request offers. */
export type MarkedCall = readonly PlannedCall[];

/** `run: <command>` and `use <tool>: <JSON object>`, each up to the end of its line. */
const MARK = /(?:^|\s)(?<also>also )?(?:run: (?<command>\S.*)|use (?<tool>[\w-]+): (?<input>\{.*\}))\s*$/i;

/**
 * Reads which tools a user wants to have called now, so that a test or a trial can lead an agent through its
 * tools. Each marked line of the user's text is one turn, in order; a line with `also` belongs to the turn of
 * the line before. The turns that were answered with calls since then are done.
 * @param isParallel without it, a line with `also` is a turn of its own
 */
export function nextMarkedCalls(messages: readonly ChatMessage[], isParallel: boolean): MarkedCall[] {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at];
    if (message?.role !== 'user') continue;
    const turns = markedTurns(messageText(message), isParallel);
    if (turns.length === 0) continue;
    const done = messages.slice(at + 1).filter(({ role, tool_calls: calls }) => {
      return role === 'assistant' && (calls?.length ?? 0) > 0;
    });
    return turns[done.length] ?? [];
  }
  return [];
}

function markedTurns(text: string, isParallel: boolean): MarkedCall[][] {
  const turns: MarkedCall[][] = [];
  for (const line of text.split('\n')) {
    const { also, command, input = '', tool } = MARK.exec(line)?.groups ?? {};
    const call = command === undefined ? namedCall(tool, input) : commandCall(command);
    if (call === undefined) continue;
    const last = turns.at(-1);
    if (also !== undefined && isParallel && last !== undefined) last.push(call);
    else turns.push([call]);
  }
  return turns;
}

function commandCall(text: string): MarkedCall {
  const command = /^`(.+)`$/.exec(text.trim())?.[1] ?? text.trim();
  return commandCalls(command);
}

function namedCall(tool: string | undefined, input: string): MarkedCall | undefined {
  if (tool === undefined) return undefined;
  try {
    return [{ name: tool, input: JSON.parse(input) }];
  } catch {
    return undefined;
  }
}
