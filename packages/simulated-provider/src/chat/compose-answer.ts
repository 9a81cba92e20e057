import { SeededChoice } from '../text/seeded-choice.ts';
import { findTopic, type Topic } from '../text/topic.ts';
import { type ChatMessage, type ChatRequest, messageText } from './chat-request.ts';
import { sampleJson } from './sample-json.ts';
import { GREETINGS, type Intent, MATERIAL } from './sentences.ts';

/** The first pattern that matches decides. */
const INTENTS: readonly [RegExp, Intent][] = [
  [
    /\b(code|function|bug|error|exception|script|regex|sql|python|javascript|typescript|rust|java|c\+\+)(?!\w)/i,
    'code',
  ],
  [/\b(write|draft|compose|poem|haiku|story|letter|email|summari[sz]e|translate|rewrite)\b/i, 'write'],
  [/\b(compare|difference|versus|vs\.?|better than)\b/i, 'compare'],
  [/\bwhy\b/i, 'why'],
  [/\b(best|recommend|should i|which|suggest|choose)\b/i, 'choose'],
  [/\bhow\b/i, 'how'],
];
const GREETING = /^\W*(hello|hi|hey|good (morning|evening|day)|greetings|ping)\b/i;
const MAX_QUOTED_CHARACTERS = 160;
const MAX_READ_CHARACTERS = 4_000;

/**
 * Composes a plausible answer to a conversation. The same messages always get the same answer.
 * @param index of the alternative (`n`)
 */
export function composeAnswer(messages: readonly ChatMessage[], index: number): string {
  const choice = new SeededChoice(`${index} ${JSON.stringify(messages)}`);
  const last = messages.findLast(needsAnswer);
  const question = lastQuestion(messages);
  const topic = findTopic(question);
  if (last?.role === 'tool' || last?.role === 'function')
    return answerFromResult(messageText(last), topic, choice);
  if (topic.phrase === undefined || (GREETING.test(question) && topic.keywords.length < 2)) {
    return choice.pick(GREETINGS);
  }
  const { openings, middles, closings } = MATERIAL[intentOf(question)];
  const sentences = [choice.pick(openings), ...choice.pickSeveral(middles, 1 + choice.below(3))];
  if (choice.below(2) === 1) sentences.push(choice.pick(closings));
  return fill(sentences.join(' '), topic, choice);
}

/** Ignores instructions and notes that an agent adds after the user's message. */
function needsAnswer(message: ChatMessage): boolean {
  if (message.role === 'system' || message.role === 'developer') return false;
  return message.role !== 'user' || messageText(message) !== '';
}

/** Returns the beginning of the last text of the user. */
export function lastQuestion(messages: readonly ChatMessage[]): string {
  const last =
    messages.findLast((message) => message.role === 'user' && messageText(message) !== '') ?? messages.at(-1);
  return last === undefined ? '' : messageText(last).slice(0, MAX_READ_CHARACTERS);
}

function intentOf(question: string): Intent {
  return INTENTS.find(([pattern]) => pattern.test(question))?.[1] ?? 'explain';
}

function answerFromResult(result: string, topic: Topic, choice: SeededChoice): string {
  const quoted = result.trim().slice(0, MAX_QUOTED_CHARACTERS) || '(empty)';
  const opening = choice.pick(['According to the tool, the result is', 'The tool reports']);
  const about = topic.phrase === undefined ? 'your request' : topic.phrase;
  const closing = choice.pick([
    `That should answer the question about ${about}.`,
    `For ${about}, this is the most recent information available.`,
  ]);
  return `${opening}: ${quoted}. ${closing}`;
}

function fill(text: string, { phrase = '', keywords, clause }: Topic, choice: SeededChoice): string {
  // A function replaces, because a replacement text could contain patterns such as `$&`.
  const word = choice.pick(keywords);
  const words: Record<string, string> = { topic: phrase, word, question: clause };
  return text.replace(/\{(\w+)\}/g, (_whole, name: string) => words[name] ?? '');
}

/** Plans an answer in words, or in JSON if the request wants that. @param index of the alternative (`n`) */
export function planText({ messages, response_format: format }: ChatRequest, index: number): string {
  const answer = composeAnswer(messages, index);
  const question = lastQuestion(messages);
  const topic = findTopic(question);
  if (format?.type === 'json_object') return JSON.stringify({ topic: topic.phrase ?? 'greeting', answer });
  if (format?.type !== 'json_schema') return answer;
  const choice = new SeededChoice(`${index} ${question}`);
  return JSON.stringify(sampleJson(format.json_schema?.schema, topic, choice));
}

/** Composes the reasoning before an answer. The same conversation always gets the same reasoning. */
export function composeThinking({ messages }: ChatRequest, calls: readonly { name: string }[]): string {
  const question = lastQuestion(messages);
  const { phrase = 'nothing in particular' } = findTopic(question);
  const choice = new SeededChoice(`thinking ${question}`);
  const opening = choice.pick([`The user asks about ${phrase}.`, `This is about ${phrase}.`]);
  const plan = choice.pick([
    'I should start with what matters most, and keep it short.',
    'First the main point, then one detail that is easily missed.',
  ]);
  const names = calls.map(({ name }) => name).join(' and ');
  return `${opening} ${names === '' ? plan : `I need ${names} for that.`}`;
}
