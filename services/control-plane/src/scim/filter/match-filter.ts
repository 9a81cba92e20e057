import { invalidFilter } from '../scim-error.ts';
import type { Filter, Operator, Value } from './parse-filter.ts';

/**
 * Returns true if a value of a multi-valued attribute matches the filter in a path, such as
 * emails[type eq "work"]. Texts match in any case.
 * @throws ScimError 400 invalidFilter
 */
export function matchFilter(filter: Filter, value: Readonly<Record<string, unknown>>): boolean {
  switch (filter.kind) {
    case 'and':
      return matchFilter(filter.left, value) && matchFilter(filter.right, value);
    case 'or':
      return matchFilter(filter.left, value) || matchFilter(filter.right, value);
    case 'not':
      return !matchFilter(filter.of, value);
    case 'present':
      return (value[filter.path.attribute] ?? '') !== '';
    case 'compare':
      return compare(value[filter.path.attribute], filter.operator, filter.value);
  }
}

function compare(actual: unknown, operator: Operator, expected: Value): boolean {
  const [left, right] = [comparable(actual), comparable(expected)];
  switch (operator) {
    case 'eq':
      return left === right;
    case 'ne':
      return left !== right;
    case 'co':
      return left.includes(right);
    case 'sw':
      return left.startsWith(right);
    case 'ew':
      return left.endsWith(right);
    default:
      throw invalidFilter(`${operator} cannot be used in the path of an operation`);
  }
}

function comparable(value: unknown): string {
  return String(value ?? '').toLowerCase();
}
