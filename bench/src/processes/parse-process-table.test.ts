import { describe, expect, it } from 'vitest';
import { parseCoreList } from './cores.ts';
import { descendants, parseProcStat, parsePs } from './parse-process-table.ts';

describe('CPU time of a process', () => {
  it('includes user and system time and that of ended children, whatever its name', () => {
    const stat = '4711 (node (x) 1) S 42 4711 4711 0 -1 4194304 9 8 7 6 250 50 30 20 20 0 11 0 123 456 789';
    expect(parseProcStat(stat)).toEqual({ pid: 4711, parentPid: 42, cpuMs: 3_500 });
    expect(parseProcStat('')).toBeUndefined();
  });

  it('is read from ps where there is no /proc', () => {
    const rows = parsePs('  10     1   2048   0:01.50\n  11    10    512 1-02:03:04\n');
    expect(rows).toEqual([
      { pid: 10, parentPid: 1, residentBytes: 2_097_152, cpuMs: 1_500 },
      { pid: 11, parentPid: 10, residentBytes: 524_288, cpuMs: 93_784_000 },
    ]);
  });

  it('includes that of its descendants', () => {
    const table = [
      [1, 0],
      [10, 1],
      [11, 10],
      [12, 11],
      [20, 1],
    ].map(([pid = 0, parentPid = 0]) => ({ pid, parentPid, cpuMs: 0 }));
    expect(descendants(10, table)).toEqual([10, 11, 12]);
  });
});

it('the list of allowed cores may have ranges', () => {
  expect(parseCoreList("pid 7's current affinity list: 0,2-4\n")).toEqual([0, 2, 3, 4]);
});
