/** A process, as the operating system describes it. */
export interface ProcessUsage {
  pid: number;
  parentPid: number;
  /** User and system time, of the process and of its children that have ended. */
  cpuMs: number;
}

/** Linux counts CPU time in so many ticks per second, on every architecture on which Node still runs. */
const TICKS_PER_SECOND = 100;

/** Parses a line of /proc/PID/stat; undefined for anything else. */
export function parseProcStat(text: string): ProcessUsage | undefined {
  // The name stands in parentheses, and may itself hold spaces and parentheses.
  const end = text.lastIndexOf(')');
  const pid = Number.parseInt(text, 10);
  const fields = text.slice(end + 2).split(' ');
  const [, parent] = fields;
  const ticks = fields.slice(11, 15).map(Number);
  if (end < 0 || ticks.length < 4 || ticks.some(Number.isNaN)) return undefined;
  const sum = ticks.reduce((total, value) => total + value, 0);
  return { pid, parentPid: Number(parent), cpuMs: (sum * 1_000) / TICKS_PER_SECOND };
}

export interface PsRow extends ProcessUsage {
  residentBytes: number;
}

/** Parses `ps -A -o pid=,ppid=,rss=,time=`; time is [[days-]hours:]minutes:seconds[.hundredths]. */
export function parsePs(text: string): PsRow[] {
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [pid, parentPid, kilobytes, time = ''] = line.trim().split(/\s+/);
      const [clock = '', days = '0'] = time.split('-').reverse();
      const seconds = clock.split(':').reduce((total, part) => total * 60 + Number(part), 0);
      if (!pid || Number.isNaN(seconds)) return [];
      return {
        pid: Number(pid),
        parentPid: Number(parentPid),
        residentBytes: Number(kilobytes) * 1_024,
        cpuMs: (Number(days) * 86_400 + seconds) * 1_000,
      };
    });
}

export function descendants(pid: number, table: readonly ProcessUsage[]): number[] {
  const family = [pid];
  for (const member of family) {
    family.push(...table.filter(({ parentPid }) => parentPid === member).map((child) => child.pid));
  }
  return family;
}
