import { printable } from '../output/printable.ts';
import type { ApplyRun, Change } from './apply-run.ts';

const SIGNS: Record<Change['action'], string> = { create: '+', change: '~', remove: '-' };

/** Returns a line for each change. @param only undefined: all */
export function changesText(changes: readonly Change[], only?: Change['action']): string {
  return changes
    .filter(({ action }) => only === undefined || action === only)
    .map(({ action, differences, object }) => {
      const fields = differences.map(
        ({ field, from, to }) => `${field} is ${show(from)}, in the file ${show(to)}`,
      );
      const line = fields.length === 0 ? object : `${object}: ${fields.join('; ')}`;
      return `${SIGNS[action]} ${printable(line)}\n`;
    })
    .join('');
}

export function summaryText(
  { changes, unchanged }: Pick<ApplyRun, 'changes' | 'unchanged'>,
  dryRun: boolean,
): string {
  const same = `${unchanged} ${unchanged === 1 ? 'object is' : 'objects are'} as in the file`;
  if (changes.length === 0) return `Nothing to change: ${same}.\n`;
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const made = `${count('create')} created, ${count('change')} changed, ${count('remove')} removed`;
  const counts = `${made}; ${same}.`;
  return dryRun ? `Nothing was changed. This would be: ${counts}\n` : `${counts}\n`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
