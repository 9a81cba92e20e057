import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { measurePrompt } from '@model-gateway/dialects';
import { countTokens as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
const TEXT = { disallowedSpecial: new Set<string>() };
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const HEX = '0123456789abcdef';

/** Returns the higher of the counts of two tokenizers. */
function tokensOf(text: string): number {
  const parts = text.match(/[\s\S]{1,2000}/gu) ?? [];
  const sum = (count: typeof o200k) => parts.reduce((all, part) => all + count(part, TEXT), 0);
  return Math.max(sum(o200k), sum(cl100k));
}

/** Returns the tokens that a model with a known tokenizer reserves for a text, divided by its tokens. */
function reserved(text: string): number {
  return (1.15 * measurePrompt([Buffer.from(JSON.stringify(text))]).tokens) / tokensOf(text);
}

/** Generates pseudo-random numbers, the same in every run. */
function* numbers(): Generator<number> {
  for (let state = 7; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}
const random = numbers();
const below = (max: number) => Math.floor(random.next().value * max);
const mixed = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[below(alphabet.length)]).join('');
const points = (from: number, count: number, length: number) =>
  Array.from({ length }, () => String.fromCodePoint(from + below(count))).join('');
const file = (path: string) => readFileSync(new URL(path, ROOT), 'utf8').slice(0, 60_000);
const bundled = createRequire(import.meta.url).resolve('gpt-tokenizer/encoding/o200k_base');

it.each<[string, string]>([
  ['English', file('docs/billing.md') + file('docs/limits-and-credit.md') + file('docs/architecture.md')],
  ['TypeScript', file('services/data-plane/src/billing/allowances.ts')],
  ['SQL', file('prisma/functions/settle_usage.sql')],
  ['YAML', file('deploy/catalogs/openai.yaml')],
  ['JSON', JSON.stringify(JSON.parse(file('package.json')))],
  ['JavaScript of a build', readFileSync(bundled, 'utf8').slice(0, 20_000)],
  ['Chinese', '人工智能是计算机科学的一个分支，它企图了解智能的实质，并生产出一种新的智能机器。'.repeat(20)],
  ['Japanese', '人工知能とは、計算という概念とコンピュータという道具を用いて知能を研究する。'.repeat(20)],
  ['Korean', '인공지능은 인간의 학습능력, 추론능력, 지각능력을 인공적으로 구현하려는 분야이다. '.repeat(20)],
  ['Russian', 'Свойство интеллектуальных систем выполнять творческие функции человека. '.repeat(20)],
  ['Arabic', 'الذكاء الاصطناعي هو سلوك وخصائص معينة تتسم بها البرامج الحاسوبية. '.repeat(20)],
  ['Hindi', 'कृत्रिम बुद्धिमत्ता मशीनों द्वारा प्रदर्शित बुद्धि है। '.repeat(20)],
  ['German', 'Künstliche Intelligenz bezeichnet ein Teilgebiet der Informatik. '.repeat(20)],
])('%s reserves at least nine tenths of its tokens and at most twice as many', (_name, text) => {
  expect(reserved(text)).toBeGreaterThan(0.9);
  expect(reserved(text)).toBeLessThan(2);
});

it.each<[string, string]>([
  ['base64', Buffer.from(mixed(LETTERS + HEX, 30_000)).toString('base64')],
  ['hexadecimal digits', mixed(HEX, 20_000)],
  ['digits', mixed('0123456789', 20_000)],
  ['numbers', Array.from({ length: 4_000 }, () => below(100_000) / 100).join(', ')],
  ['single digits', Array.from({ length: 8_000 }, () => below(10)).join(',')],
  ['random letters', mixed(LETTERS, 20_000)],
  ['random words', Array.from({ length: 6_000 }, () => mixed(LETTERS, 3)).join(' ')],
  ['single letters', Array.from({ length: 8_000 }, () => mixed(LETTERS, 1)).join(' ')],
  ['letters on lines', Array.from({ length: 8_000 }, () => mixed(LETTERS, 1)).join('\n')],
  ['digits on lines', Array.from({ length: 8_000 }, () => below(10)).join('\n')],
  ['control characters', mixed('\b\f\n\r\t\u0001', 20_000)],
  ['backspaces', '\b'.repeat(20_000)],
  ['signs', mixed('!#$%&()*+,-./:;<=>?@[]^_`{|}~', 20_000)],
  ['letters and signs', Array.from({ length: 8_000 }, () => mixed(LETTERS, 1) + mixed('!#$%&*', 1)).join('')],
  ['spaces', mixed(' \t\n', 20_000)],
  ['pictographs', points(0x1f300, 0x300, 4_000)],
  ['rare Chinese characters', points(0x20000, 40_000, 4_000)],
  ['random Chinese characters', points(0x4e00, 20_000, 4_000)],
  ['random characters of two bytes', points(0x80, 0x700, 8_000)],
  ['random characters of three bytes', points(0x800, 0x2000, 5_000)],
])('%s reserve at least half of their tokens', (_name, text) => {
  expect(reserved(text)).toBeGreaterThan(0.5);
});
