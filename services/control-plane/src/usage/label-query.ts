import type { LabelFilterMessage } from '@model-gateway/contracts';
import { isUsageLabel, MAX_LABELS, MAX_MODELS_ASKED, type UsageLabel } from '@model-gateway/shared';
import { invalidArgument } from '../errors/control-plane-error.ts';

/** Matches requests whose label has one of these values. */
export interface LabelFilter {
  label: UsageLabel;
  values: readonly string[];
}

/** Validates filters by label. @throws ControlPlaneError invalid_argument */
export function parseLabelFilters(filters: readonly LabelFilterMessage[]): LabelFilter[] {
  if (filters.length > MAX_LABELS)
    throw invalidArgument(`a request may filter by at most ${MAX_LABELS} labels`);
  return filters.map(({ label, values }) => {
    if (!isUsageLabel(label))
      throw invalidArgument(`labels takes tag:<name>, end_user, session, not "${label}"`);
    if (
      values.length === 0 ||
      values.length > MAX_MODELS_ASKED ||
      values.some((value) => value.includes('\0'))
    ) {
      throw invalidArgument(`labels needs 1 to ${MAX_MODELS_ASKED} values of ${label}`);
    }
    return { label, values };
  });
}

/** Returns the labels that a query groups or filters by, each once. */
export function labelsAsked(grouped: readonly UsageLabel[], filters: readonly LabelFilter[]): UsageLabel[] {
  return [...new Set([...grouped, ...filters.map(({ label }) => label)])];
}

/**
 * Returns true if daily sums have the usage of a query: they are by one label, and not by key. Other queries
 * read the records.
 * @param isByDay true if whole days suffice
 */
export function isSummedByLabel(
  grouped: readonly UsageLabel[],
  filters: readonly LabelFilter[],
  { byKey, isByDay }: { byKey: boolean; isByDay: boolean },
): boolean {
  return labelsAsked(grouped, filters).length === 1 && filters.length <= 1 && !byKey && isByDay;
}
