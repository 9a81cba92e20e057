/** Words that instruct or connect, and do not name a topic. */
const PLAIN_WORDS = new Set(
  `a about all also am an and any are as ask at be because been being but by can compare compose could create define describe
  did difference do does draft each either every example explain few find for from generate get give gives had has have he hello
  help her hey hi him his how i if in into is it its itself just know less let like list little look make makes many may me
  means might more most much must my need needs no not now of off ok okay on one only or other our out over please recommend
  right say she should show simple so some something such suggest summarise summarize take talk tell than thanks that the their them
  then there these they thing things think this those to too translate try two under up us use used using very want was
  way ways we were what when where whether which while who whom whose why will with without work works would write
  yes you your yours briefly bake between buy build choose cook essay email fix haiku learn letter paragraph poem put rewrite
  sentence sentences start stop story text word words`.split(/\s+/),
);
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’_+#.-]*[\p{L}\p{N}+#]|[\p{L}\p{N}]/gu;
const MAX_TOPIC_WORDS = 5;
const MAX_WORD_CHARACTERS = 40;
const MAX_READ_CHARACTERS = 4_000;

const MAX_CLAUSE_CHARACTERS = 80;

export interface Topic {
  /** A few words of the text: `the capital of France`; undefined if it names nothing. */
  phrase: string | undefined;
  /** All meaningful words, each once, in order. */
  keywords: string[];
  /** The clause with the phrase, on one line; empty if there is none. */
  clause: string;
}

/** Finds the topic of a text: the phrase of its first clause that names something. */
export function findTopic(text: string): Topic {
  const keywords = new Set<string>();
  let phrase: string | undefined;
  let clause = '';
  for (const part of text.slice(0, MAX_READ_CHARACTERS).split(/[.!?,;:]\s|[\n"“”()[\]{}]/)) {
    const words = (part.match(WORD) ?? []).map((word) => word.slice(0, MAX_WORD_CHARACTERS));
    const isMeaningful = words.map((word) => !PLAIN_WORDS.has(word.toLowerCase()));
    for (const [index, word] of words.entries()) if (isMeaningful[index]) keywords.add(word);
    if (phrase !== undefined) continue;
    phrase = phraseOf(words, isMeaningful);
    if (phrase !== undefined) clause = shorten(part);
  }
  return { phrase, keywords: [...keywords], clause };
}

function phraseOf(words: readonly string[], isMeaningful: readonly boolean[]): string | undefined {
  const first = isMeaningful.indexOf(true);
  if (first === -1) return undefined;
  const last = isMeaningful.lastIndexOf(true, first + MAX_TOPIC_WORDS - 1);
  const article = /^(the|an?)$/i.exec(words[first - 1] ?? '')?.[0].toLowerCase();
  return [...(article === undefined ? [] : [article]), ...words.slice(first, last + 1)].join(' ');
}

function shorten(clause: string): string {
  const plain = clause
    .replace(/\s+/g, ' ')
    .replace(/[.!?,;:\s]+$/, '')
    .trim();
  if (plain.length <= MAX_CLAUSE_CHARACTERS) return plain;
  const end = plain.lastIndexOf(' ', MAX_CLAUSE_CHARACTERS);
  return `${plain.slice(0, end > 0 ? end : MAX_CLAUSE_CHARACTERS).toWellFormed()}…`;
}
