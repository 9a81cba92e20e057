import { type Decimal, parseDecimal, wholeAt } from '@model-gateway/shared';
import { BillError } from './bill-error.ts';

const UNIX_SECONDS = /^\d{9,10}$/;
/** A date with an optional time; without a zone it is UTC. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?)? ?(Z|UTC|[+-]\d\d:?\d\d)?$/;

/** A row of a file of any format: texts by column names in lower case with underscores. */
export class Row {
  readonly #cells: ReadonlyMap<string, string>;
  /** "line 12", for messages. */
  readonly place: string;

  constructor(cells: ReadonlyMap<string, string>, place: string) {
    this.#cells = cells;
    this.place = place;
  }

  has(column: string): boolean {
    return this.#cells.has(column);
  }

  /** Returns the text of a cell; null if it is empty or if there is no such column. */
  text(column: string): string | null {
    const text = this.#cells.get(column)?.trim() ?? '';
    return text === '' ? null : text;
  }

  /** Returns a whole number of at least 0; 0 if the cell is empty. @throws BillError */
  count(column: string): bigint {
    const text = this.text(column) ?? '0';
    const number = parseDecimal(text);
    const count = number && wholeAt(number, 0);
    if (count === undefined || count < 0n) return this.#refuse(column, text, 'a whole number of at least 0');
    return count;
  }

  /** Returns a number; null if the cell is empty. @throws BillError */
  decimal(column: string): Decimal | null {
    const text = this.text(column);
    return text === null ? null : (parseDecimal(text) ?? this.#refuse(column, text, 'a number'));
  }

  /** Returns Unix milliseconds. @throws BillError if the cell is empty or no time */
  time(column: string): number {
    const text = this.text(column) ?? '';
    const timeMs = UNIX_SECONDS.test(text) ? Number(text) * 1_000 : parseDateTime(text);
    return timeMs ?? this.#refuse(column, text, 'a time such as 2026-11-01T00:00:00Z');
  }

  /** Returns Unix milliseconds; null if the cell is empty. @throws BillError */
  timeOrNull(column: string): number | null {
    return this.text(column) === null ? null : this.time(column);
  }

  /** @throws BillError if the currency is not the US dollar */
  requireUsd(column: string): void {
    const text = this.text(column);
    if (text !== null && text.toUpperCase() !== 'USD')
      throw new BillError(`${this.place}: the currency is ${text}. Only bills in USD can be compared.`);
  }

  #refuse(column: string, text: string, expected: string): never {
    throw new BillError(`${this.place}, column ${column}: "${text.slice(0, 80)}" is not ${expected}`);
  }
}

function parseDateTime(text: string): number | undefined {
  const [, date, time = '00:00:00', fraction = '', zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  if (date === undefined) return undefined;
  const iso = `${date}T${time}${fraction.slice(0, 4)}${zone === 'UTC' ? 'Z' : zone}`;
  const timeMs = Date.parse(iso);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** Normalizes the name of a column: `usage.amount` and `Usage Amount` → `usage_amount`. */
export function columnName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');
}

/** Flattens a value to cells. Names of nested members are joined by underscores. */
export function cellsOf(value: object): Map<string, string> {
  const cells = new Map<string, string>();
  collect(value, '', cells);
  return cells;
}

function collect(value: object, prefix: string, cells: Map<string, string>): void {
  for (const [name, member] of Object.entries(value)) {
    const column = `${prefix}${columnName(name)}`;
    if (member instanceof Date) cells.set(column, member.toISOString());
    else if (Array.isArray(member)) cells.set(column, JSON.stringify(member, bigintsAsText));
    else if (typeof member === 'object' && member !== null) collect(member, `${column}_`, cells);
    else cells.set(column, member === null || member === undefined ? '' : String(member));
  }
}

function bigintsAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
