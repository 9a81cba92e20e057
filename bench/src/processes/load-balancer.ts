import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@model-gateway/test-kit/free-port';
import { Program, type ProgramOptions } from './program.ts';
import type { Service } from './service.ts';

const READY_MS = 10_000;

/** Starts HAProxy with the settings of deploy/haproxy that matter for a request. @throws if there is none */
export async function startLoadBalancer(
  options: Pick<ProgramOptions, 'environment' | 'logDir' | 'name'>,
  services: readonly Service[],
): Promise<{ program: Program; url: string }> {
  const port = await freePort();
  const file = join(options.logDir, `${options.name}.cfg`);
  await writeFile(
    file,
    `global
    maxconn 4096
    nbthread 1
defaults
    mode http
    option http-no-delay
    option abortonclose
    option http-server-close
    retry-on conn-failure
    balance random(2)
    timeout connect 5s
    timeout client 75s
    timeout server 75s
frontend clients
    bind 127.0.0.1:${port}
    monitor-uri /ready
    default_backend data-plane
backend data-plane
${services.map(({ address }, index) => `    server data-plane-${index} ${address}`).join('\n')}
`,
  );
  const program = await Program.start({ ...options, command: 'haproxy', args: ['-db', '-f', file] });
  const url = `http://127.0.0.1:${port}`;
  try {
    await program.answers(`${url}/ready`, READY_MS);
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
  return { program, url };
}
