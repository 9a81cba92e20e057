import { DASHBOARD_ROWS } from './dashboard/dashboard.ts';

/**
 * Every expression of the dashboard as Prometheus gets it from Grafana, for all providers.
 * @param interval what Grafana puts in for `$__rate_interval`, such as `1m`
 * @returns each with the title of its panel
 */
export function panelExpressions(interval: string): [title: string, expression: string][] {
  return DASHBOARD_ROWS.flatMap(({ panels }) =>
    panels.flatMap(({ queries, title }) =>
      queries.map(([expr]): [string, string] => [
        title,
        expr.replaceAll('$__rate_interval', interval).replaceAll('$provider', '.*'),
      ]),
    ),
  );
}
