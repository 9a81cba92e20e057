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

/** The Grafana dashboard. Edit it in Grafana; export it with "Export for sharing externally" off. */
export const { panels, templating } = z
  .looseObject({
    panels: z.array(panel),
    templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
  })
  .parse(JSON.parse(readFileSync(FILE, 'utf8')));

/**
 * Returns the title and expression of every panel, as Grafana sends it for all providers.
 * @param interval replaces `$__rate_interval`
 */
export function panelExpressions(interval: string): [title: string, expression: string][] {
  return panels.flatMap(({ targets, title }) =>
    targets.map(({ expr }): [string, string] => [
      title,
      expr.replaceAll('$__rate_interval', interval).replaceAll('$provider', '.*'),
    ]),
  );
}
