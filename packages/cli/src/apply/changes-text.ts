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
      return `${SIGNS[action]} ${printable([object, fields.join('; ')].filter((part) => part !== '').join(': '))}\n`;
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
  const counts = `${count('create')} created, ${count('change')} changed, ${count('remove')} removed; ${same}.`;
  return dryRun ? `Nothing was changed. This would be: ${counts}\n` : `${counts}\n`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
