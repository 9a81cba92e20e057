import { SeededChoice } from '../text/seeded-choice.ts';
import { findTopic, type Topic } from '../text/topic.ts';
import { type ChatMessage, messageText } from './chat-request.ts';
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
/** At most so much of a tool's result is quoted. */
const MAX_QUOTED_CHARACTERS = 160;
/** This is enough to tell conversations apart, and to find out what the last question asks for. */
const MAX_READ_CHARACTERS = 4_000;

/**
 * Makes a plausible answer to a conversation. The same messages always get the same answer.
 * @param index which of several alternatives (`n`)
 */
export function composeAnswer(messages: readonly ChatMessage[], index: number): string {
  const choice = new SeededChoice(`${index} ${JSON.stringify(messages)}`);
  const last = messages.findLast(isToBeAnswered);
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

/** An agent may send instructions and notes of its own last: they are not what is to be answered. */
function isToBeAnswered(message: ChatMessage): boolean {
  if (message.role === 'system' || message.role === 'developer') return false;
  return message.role !== 'user' || messageText(message) !== '';
}

/** The last thing that the user said. */
export function lastQuestion(messages: readonly ChatMessage[]): string {
  const asked =
    messages.findLast((message) => message.role === 'user' && messageText(message) !== '') ?? messages.at(-1);
  return asked === undefined ? '' : messageText(asked).slice(0, MAX_READ_CHARACTERS);
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
  // Replaced by a function, because a replacement text could hold patterns such as `$&`.
  const word = choice.pick(keywords);
  const words: Record<string, string> = { topic: phrase, word, question: clause };
  return text.replace(/\{(\w+)\}/g, (_whole, name: string) => words[name] ?? '');
}
