import { z } from 'zod';
import type { Check } from './report.ts';
import type { Stack } from './stack.ts';

const JOBS = ['migrate', 'apply-catalog'];
const hostConfig = z.object({
  ReadonlyRootfs: z.boolean(),
  CapDrop: z.array(z.string()).nullable(),
  SecurityOpt: z.array(z.string()).nullable(),
});

/** No container runs anything as root, may write to its root file system, or may gain rights. */
export async function checkContainers(stack: Stack, check: Check): Promise<void> {
  const containers = await stack.containers();
  const open: string[] = [];
  let running = 0;
  for (const { ID, Name, Service, State } of containers) {
    const config = hostConfig.parse(
      JSON.parse(await stack.docker('inspect', '--format', '{{json .HostConfig}}', ID)),
    );
    if (!config.ReadonlyRootfs) open.push(`${Name} can write to its root`);
    if (!config.CapDrop?.includes('ALL')) open.push(`${Name} keeps capabilities`);
    if (!config.SecurityOpt?.includes('no-new-privileges:true')) open.push(`${Name} may gain privileges`);
    if (JOBS.includes(Service)) {
      const exitCode = (await stack.docker('inspect', '--format', '{{.State.ExitCode}}', ID)).trim();
      if (State !== 'exited' || exitCode !== '0') open.push(`${Name} ended with ${exitCode}`);
      continue;
    }
    running += 1;
    const users = (await stack.docker('top', ID, '-eo', 'uid,pid')).trim().split('\n').slice(1);
    if (users.some((line) => line.trim().startsWith('0 '))) open.push(`${Name} runs as root`);
    const write = await stack.tryDocker('exec', '--user', '0', ID, 'touch', '/verify');
    if (write.code === 0) open.push(`${Name} wrote to its root`);
  }
  check(
    'containers: not root, root file system read-only, no capabilities',
    open.length === 0,
    open.join('; ') || `${running} containers`,
  );
}

/** The secrets of development, which anybody can read, open nothing. */
export async function checkSecrets(stack: Stack, check: Check): Promise<void> {
  const run = (...args: string[]) => stack.compose(['run', '--rm', '--no-deps', '-T', ...args]);
  const attempts = {
    'admin token': () =>
      run('-e', 'ADMIN_TOKEN=development-admin-token-not-for-production', 'gatewayctl', 'accounts', 'list'),
    pepper: () => run('-e', 'API_KEY_LOOKUP_PEPPER=development-pepper-not-for-production-use', 'data-plane'),
    'internal token': () =>
      run('-e', 'INTERNAL_TOKEN=development-internal-token-not-for-production', 'catalog'),
  };
  const accepted: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    const error = await attempt().then(
      () => '',
      (thrown: Error) => thrown.message,
    );
    if (!/is the development secret|not accepted|ADMIN_TOKEN/i.test(error))
      accepted.push(`${name}: ${error}`);
  }
  check(
    'secrets of development are refused',
    accepted.length === 0,
    accepted.join('; ') || Object.keys(attempts).join(', '),
  );
}
