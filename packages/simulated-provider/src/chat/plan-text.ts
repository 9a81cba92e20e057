import { SeededChoice } from '../text/seeded-choice.ts';
import { findTopic } from '../text/topic.ts';
import type { ChatRequest } from './chat-request.ts';
import { composeAnswer, lastQuestion } from './compose-answer.ts';
import { sampleJson } from './sample-json.ts';

/** Plans an answer in words, or in JSON where the request asks for it. @param index which of several (`n`) */
export function planText(request: ChatRequest, index: number): string {
  const answer = composeAnswer(request.messages, index);
  const format = request.response_format;
  const question = lastQuestion(request.messages);
  const topic = findTopic(question);
  if (format?.type === 'json_object') return JSON.stringify({ topic: topic.phrase ?? 'greeting', answer });
  if (format?.type !== 'json_schema') return answer;
  return JSON.stringify(
    sampleJson(format.json_schema?.schema, topic, new SeededChoice(`${index} ${question}`)),
  );
}
