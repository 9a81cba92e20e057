import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type BillLine, readBill } from '../src/index.ts';

/** Makes a path for a file of one test. */
export async function filePath(name = 'bill'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'provider-bills-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** Reads a file with this content. Returns its lines without times and what is unknown in them. */
export async function linesOf(content: string | Uint8Array): Promise<Partial<BillLine>[]> {
  const path = await filePath();
  await writeFile(path, content);
  return (await readLines(path)).map(known);
}

export async function readLines(path: string): Promise<BillLine[]> {
  const lines: BillLine[] = [];
  for await (const part of readBill(path)) lines.push(...part.lines);
  return lines;
}

function known({ endTimeMs: _end, startTimeMs: _start, ...line }: BillLine): Partial<BillLine> {
  return Object.fromEntries(Object.entries(line).filter(([, value]) => value !== null));
}
