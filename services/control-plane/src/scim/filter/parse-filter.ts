import { invalidFilter } from '../scim-error.ts';
import { type Token, tokenize } from './tokenize.ts';

const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
export type Operator = (typeof OPERATORS)[number];
export type Value = string | number | boolean | null;

/** Attribute in lower case, such as emails[type eq "work"].value. */
export interface AttributePath {
  attribute: string;
  /** Lower case. */
  sub?: string;
  where?: Filter;
}

/** Filter of RFC 7644, section 3.4.2.2. */
export type Filter =
  | { kind: 'and' | 'or'; left: Filter; right: Filter }
  | { kind: 'not'; of: Filter }
  | { kind: 'present'; path: AttributePath }
  | { kind: 'compare'; path: AttributePath; operator: Operator; value: Value };

const MAX_LENGTH = 2_048;
const MAX_COMPARISONS = 50;
/** Schemas whose attributes may be written with their URN. */
const CORE_SCHEMA = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;

/** @throws ScimError 400 invalidFilter */
export function parseFilter(text: string): Filter {
  const parser = new Parser(text);
  const filter = parser.either();
  parser.end();
  return filter;
}

/** Parses the path of a PATCH operation. @throws ScimError 400 invalidFilter */
export function parsePath(text: string): AttributePath {
  const parser = new Parser(text);
  const path = parser.path();
  parser.end();
  return path;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #comparisons = 0;

  constructor(text: string) {
    if (text.length > MAX_LENGTH) throw invalidFilter(`a filter has at most ${MAX_LENGTH} characters`);
    this.#tokens = tokenize(text);
  }

  either(): Filter {
    let left = this.#both();
    while (this.#takeWord('or')) left = { kind: 'or', left, right: this.#both() };
    return left;
  }

  path(): AttributePath {
    const token = this.#next();
    if (token?.kind !== 'word') throw invalidFilter('expected the name of an attribute');
    const name = token.text.toLowerCase().replace(CORE_SCHEMA, '');
    const isExtension = name.startsWith('urn:');
    const [attribute = '', ...subs] = isExtension ? [name] : name.split('.');
    const where = this.#takeMark('[') ? this.either() : undefined;
    if (where !== undefined && !this.#takeMark(']')) throw invalidFilter('a "[" lacks its "]"');
    const after = this.#tokens[this.#at];
    if (where !== undefined && after?.kind === 'word' && after.text.startsWith('.')) {
      this.#at += 1;
      subs.push(...after.text.slice(1).toLowerCase().split('.'));
    }
    const sub = subs.join('.');
    return { attribute, ...(sub === '' ? {} : { sub }), ...(where === undefined ? {} : { where }) };
  }

  end(): void {
    if (this.#at < this.#tokens.length)
      throw invalidFilter('expected the end of the filter, or "and" or "or"');
  }

  #both(): Filter {
    let left = this.#single();
    while (this.#takeWord('and')) left = { kind: 'and', left, right: this.#single() };
    return left;
  }

  #single(): Filter {
    if (this.#takeWord('not')) return { kind: 'not', of: this.#single() };
    if (!this.#takeMark('(')) return this.#comparison();
    const inner = this.either();
    if (!this.#takeMark(')')) throw invalidFilter('a "(" lacks its ")"');
    return inner;
  }

  #comparison(): Filter {
    this.#comparisons += 1;
    if (this.#comparisons > MAX_COMPARISONS) {
      throw invalidFilter(`a filter has at most ${MAX_COMPARISONS} comparisons`);
    }
    const path = this.path();
    if (this.#takeWord('pr')) return { kind: 'present', path };
    const isValuePath = path.where !== undefined && path.sub === undefined;
    const operator = OPERATORS.find((each) => this.#takeWord(each));
    // emails[type eq "work"] alone asks whether there is such a value.
    if (operator === undefined && isValuePath) return { kind: 'present', path };
    if (operator === undefined) throw invalidFilter(`expected one of pr, ${OPERATORS.join(', ')}`);
    const value = this.#next();
    if (value?.kind !== 'value') throw invalidFilter('expected a value, with texts in double quotes');
    return { kind: 'compare', path, operator, value: value.value };
  }

  #next(): Token | undefined {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token;
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word' || token.text.toLowerCase() !== word) return false;
    this.#at += 1;
    return true;
  }

  #takeMark(mark: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'mark' || token.text !== mark) return false;
    this.#at += 1;
    return true;
  }
}
