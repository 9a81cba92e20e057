/** Returns the filter of a label's value for the control plane; without a label, none. */
export function labelFilter(
  label: string | undefined,
  value: string | undefined,
): { label: string; values: string[] }[] {
  return label === undefined || value === undefined ? [] : [{ label, values: [value] }];
}
