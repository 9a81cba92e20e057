import { readFileSync } from 'node:fs';
import { z } from 'zod';

const FILE = new URL('../../deploy/monitoring/grafana/model-gateway.json', import.meta.url);

const panel = z.looseObject({
  id: z.int(),
  type: z.string(),
  title: z.string(),
  gridPos: z.object({ h: z.int(), w: z.int(), x: z.int(), y: z.int() }),
  targets: z.array(z.looseObject({ expr: z.string() })).default([]),
});

/** The dashboard of Grafana. Edit it in Grafana, and export it with "Export for sharing externally" off. */
export const { panels, templating } = z
  .looseObject({
    panels: z.array(panel),
    templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  })
  .parse(JSON.parse(readFileSync(FILE, 'utf8')));

/**
 * Returns every expression of the dashboard as Grafana sends it to Prometheus, for all providers.
 * @param interval replaces `$__rate_interval`, such as `1m`
 * @returns each with the title of its panel
 */
export function panelExpressions(interval: string): [title: string, expression: string][] {
  return panels.flatMap(({ targets, title }) =>
    targets.map(({ expr }): [string, string] => [
      title,
      expr.replaceAll('$__rate_interval', interval).replaceAll('$provider', '.*'),
    ]),
  );
}
