import type { StopSignal } from '@model-gateway/service-kit';
import { z } from 'zod';
import { type GuardrailCheck, type GuardrailInput, type GuardrailVerdict, PASSED } from '../guardrail.ts';
import type { GuardrailService } from './post-to-service.ts';

const findings = z.array(
  z.object({ entity_type: z.string(), start: z.int().min(0), end: z.int().min(0), score: z.number() }),
);
type Finding = z.infer<typeof findings>[number];

/** Joins texts, so that one call checks all of them. No entity continues across it. */
const SEPARATOR = '\n\n';

export interface PresidioSettings {
  language: string;
  entities: readonly string[];
  score_threshold: number;
  action: 'block' | 'replace';
}

/** The analyzer of Presidio: `POST /analyze`. The gateway replaces what it finds by `<ENTITY_TYPE>`. */
export class PresidioCheck implements GuardrailCheck {
  readonly isRemote = true;
  readonly #service: GuardrailService;
  readonly #settings: PresidioSettings;

  constructor(service: GuardrailService, settings: PresidioSettings) {
    this.#service = service;
    this.#settings = settings;
  }

  async check(
    { texts }: GuardrailInput,
    signal: StopSignal,
    traceparent?: string,
  ): Promise<GuardrailVerdict> {
    if (texts.length === 0) return PASSED;
    const { action, entities, language, score_threshold } = this.#settings;
    const text = texts.join(SEPARATOR);
    const request = { text, language, score_threshold, ...(entities.length > 0 && { entities }) };
    const found = findings.parse(await this.#service.post(request, signal, traceparent));
    const counted = found.filter(({ score }) => score >= score_threshold);
    if (counted.length === 0) return PASSED;
    if (action === 'block') {
      const types = [...new Set(counted.map(({ entity_type }) => entity_type))].join(', ');
      return { action: 'blocked', reason: `it has ${types}` };
    }
    const replaced = replaceFindings(texts, text, counted);
    return replaced.every((each, index) => each === texts[index])
      ? PASSED
      : { action: 'replaced', texts: replaced };
  }
}

/** Positions of Presidio count code points, as Python does. */
function replaceFindings(texts: readonly string[], joined: string, found: readonly Finding[]): string[] {
  const unitAt = unitPositions(joined);
  const inUnits = withoutOverlaps(
    found.map(({ end, entity_type, start }) => ({
      start: unitAt(start),
      end: unitAt(end),
      type: entity_type,
    })),
  );
  let from = 0;
  return texts.map((text) => {
    const [start, end] = [from, from + text.length];
    from = end + SEPARATOR.length;
    let replaced = '';
    let copied = start;
    for (const finding of inUnits) {
      const [first, last] = [Math.max(finding.start, start), Math.min(finding.end, end)];
      if (first >= last) continue;
      replaced += `${joined.slice(copied, first)}<${finding.type}>`;
      copied = last;
    }
    return replaced + joined.slice(copied, end);
  });
}

function unitPositions(text: string): (codePoint: number) => number {
  if (!/[\u{10000}-\u{10ffff}]/u.test(text)) return (position) => Math.min(position, text.length);
  const positions = [0];
  for (const character of text) positions.push((positions.at(-1) ?? 0) + character.length);
  return (position) => positions[position] ?? text.length;
}

/** Joins findings that overlap: the first, longest one names the placeholder. */
function withoutOverlaps(found: readonly { start: number; end: number; type: string }[]) {
  const joined: { start: number; end: number; type: string }[] = [];
  for (const finding of found.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = joined.at(-1);
    if (last === undefined || finding.start >= last.end) joined.push({ ...finding });
    else last.end = Math.max(last.end, finding.end);
  }
  return joined;
}
