import { z } from 'zod';
import type { Check } from './report.ts';
import type { Stack } from './stack.ts';

const JOBS = ['migrate', 'apply-catalog'];
const hostConfig = z.object({
  ReadonlyRootfs: z.boolean(),
  CapDrop: z.array(z.string()).nullable(),
  SecurityOpt: z.array(z.string()).nullable(),
});

/** Checks that containers do not run as root, write to their root file system or gain privileges. */
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
    const mainPid = Number(await stack.docker('inspect', '--format', '{{.State.Pid}}', ID));
    const processes = await stack.docker('top', ID, '-eo', 'uid,pid,ppid');
    if (runsAsRoot(processes, mainPid)) open.push(`${Name} runs as root`);
    const write = await stack.tryDocker('exec', '--user', '0', ID, 'touch', '/verify');
    if (write.code === 0) open.push(`${Name} wrote to its root`);
  }
  check(
    'containers: not root, root file system read-only, no capabilities',
    open.length === 0,
    open.join('; ') || `${running} containers`,
  );
}

/**
 * Returns whether the main process or a descendant runs as root. Docker's health checks are not descendants.
 * @param processes a header, then a line per process with uid, pid and parent
 */
function runsAsRoot(processes: string, mainPid: number): boolean {
  const rows = processes
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/).map(Number));
  const own = new Set([mainPid]);
  for (let before = 0; before < own.size; ) {
    before = own.size;
    for (const [, pid, parent] of rows) {
      if (pid !== undefined && parent !== undefined && own.has(parent)) own.add(pid);
    }
  }
  return rows.some(([uid, pid]) => uid === 0 && pid !== undefined && own.has(pid));
}

/** Checks that the public development secrets are refused. */
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
    'development secrets are refused',
    accepted.length === 0,
    accepted.join('; ') || Object.keys(attempts).join(', '),
  );
}
