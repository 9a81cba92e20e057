import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@model-gateway/test-kit/free-port';
import { until } from '@model-gateway/test-kit/until';
import { stringify } from 'yaml';
import { z } from 'zod';

export interface PrometheusOptions {
  rules: string;
  /** Interval of scrapes and evaluations. */
  intervalMs: number;
  targets: readonly { service: string; internalPort: number }[];
}

export interface RunningPrometheus extends AsyncDisposable {
  /** Returns the labels of the series of an expression. @throws Prometheus' error */
  series(expression: string): Promise<Record<string, string>[]>;
  /** Returns every rule with its last evaluation. */
  rules(): Promise<EvaluatedRule[]>;
}

const rule = z.object({
  name: z.string(),
  type: z.enum(['recording', 'alerting']),
  health: z.string(),
  lastError: z.string().optional(),
  alerts: z.array(z.object({ state: z.string(), annotations: z.record(z.string(), z.string()) })).default([]),
});
export type EvaluatedRule = z.infer<typeof rule>;

const response = <Data extends z.ZodType>(data: Data) =>
  z.union([
    z.object({ status: z.literal('success'), data }),
    z.object({ status: z.literal('error'), error: z.string() }),
  ]);
const seriesResponse = response(
  z.object({ result: z.array(z.object({ metric: z.record(z.string(), z.string()) })) }),
);
const rulesResponse = response(z.object({ groups: z.array(z.object({ rules: z.array(rule) })) }));

/** Starts `prometheus` from the PATH. @throws with its output when it exits at once */
export async function startPrometheus({
  intervalMs,
  rules,
  targets,
}: PrometheusOptions): Promise<RunningPrometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-prometheus-'));
  const interval = `${intervalMs}ms`;
  const config = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
    rule_files: ['rules.yaml'],
    scrape_configs: targets.map(({ internalPort, service }) => ({
      job_name: service,
      static_configs: [{ targets: [`127.0.0.1:${internalPort}`] }],
    })),
  };
  await writeFile(join(folder, 'rules.yaml'), rules);
  await writeFile(join(folder, 'prometheus.yaml'), stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = `${errors}${chunk}`.slice(-4_000);
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const query = async <Data>(path: string, schema: z.ZodType<Data>): Promise<Data> =>
    schema.parse(await (await fetch(`http://${address}${path}`)).json());

  await using stack = new AsyncDisposableStack();
  stack.defer(async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true, force: true });
  });
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`prometheus did not start:\n${errors}`);
    return (await fetch(`http://${address}/-/ready`).catch(() => undefined))?.ok === true;
  });
  const owned = stack.move();
  return {
    async series(expression) {
      const result = await query(`/api/v1/query?query=${encodeURIComponent(expression)}`, seriesResponse);
      if (result.status === 'error') throw new Error(`${result.error}: ${expression}`);
      return result.data.result.map(({ metric }) => metric);
    },
    async rules() {
      const result = await query('/api/v1/rules', rulesResponse);
      if (result.status === 'error') throw new Error(result.error);
      return result.data.groups.flatMap((group) => group.rules);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
