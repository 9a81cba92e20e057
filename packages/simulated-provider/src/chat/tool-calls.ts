import { SeededChoice } from '../text/seeded-choice.ts';
import { sumTokens } from '../text/tokenizer.ts';
import { findTopic } from '../text/topic.ts';
import type { ChatRequest } from './chat-request.ts';
import { lastQuestion } from './compose-answer.ts';
import { nextMarkedCalls, type PlannedCall } from './marked-calls.ts';
import { sampleJson } from './sample-json.ts';

type FunctionTool = { name: string; parameters?: unknown };

export function callTokens(calls: readonly PlannedCall[]): number {
  return sumTokens(calls.flatMap(({ input, name }) => [name, JSON.stringify(input)]));
}

/**
 * Plans the calls of an answer: those that the user's text marks for this turn (marked-calls.ts). Otherwise,
 * if the request requires a call, each tool that the question names, or the first.
 * @param index of the alternative (`n`)
 */
export function planToolCalls(request: ChatRequest, index: number): PlannedCall[] {
  const { messages, parallel_tool_calls, tool_choice } = request;
  if (tool_choice === 'none') return [];
  const functions = (request.tools ?? []).flatMap((tool) => tool.function ?? []);
  const wanted = typeof tool_choice === 'object' ? tool_choice?.function?.name : undefined;
  const allowed = wanted === undefined ? functions : functions.filter(({ name }) => name === wanted);
  const isParallel = parallel_tool_calls !== false;
  const marked = nextMarkedCalls(messages, isParallel).flatMap((calls) => {
    const offered = calls.flatMap(({ input, name: wantedName }) => {
      const tool = allowed.find(({ name }) => name.toLowerCase() === wantedName.toLowerCase());
      return tool === undefined ? [] : [{ name: tool.name, input }];
    });
    return offered.slice(0, 1);
  });
  if (marked.length > 0) return marked;
  if (wanted === undefined && tool_choice !== 'required') return [];
  const question = lastQuestion(messages);
  const words = new Set(question.match(/[\w-]+/g) ?? []);
  const named = isParallel ? allowed.filter(({ name }) => words.has(name)) : [];
  const chosen = named.length > 0 ? named : allowed.slice(0, 1);
  return chosen.map((tool) => ({ name: tool.name, input: sampleInput(tool, question, index) }));
}

function sampleInput({ parameters }: FunctionTool, question: string, index: number): unknown {
  const choice = new SeededChoice(`${index} ${question}`);
  return sampleJson(parameters ?? { type: 'object' }, findTopic(question), choice) ?? {};
}
