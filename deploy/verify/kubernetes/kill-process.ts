import type { Cluster } from './cluster.ts';
import { type Images, imageName } from './images.ts';

const TIMEOUT = '60s';

/**
 * Kills a pod's process as the OOM killer does, from a pod that sees the node's processes: nothing in a
 * container can send SIGKILL to its process 1.
 * @param program a part of the process's command line
 * @returns why the cluster does not allow it; undefined: done
 */
export async function killProcess(
  cluster: Cluster,
  pod: string,
  images: Images,
  program = 'services/',
): Promise<string | undefined> {
  const format = 'jsonpath={.spec.nodeName} {.metadata.uid}';
  const found = await cluster.kubectl('get', 'pod', pod, '--output', format);
  const [nodeName = '', uid = ''] = found.trim().split(' ');
  // systemd's names of control groups have no hyphens.
  const script = `
    const { readdirSync, readFileSync } = require('node:fs');
    const ids = ${JSON.stringify([uid, uid.replaceAll('-', '_')])};
    for (const pid of readdirSync('/proc').filter((name) => Number(name) > 0)) {
      let group = '', command = '';
      try {
        group = readFileSync('/proc/' + pid + '/cgroup', 'utf8');
        command = readFileSync('/proc/' + pid + '/cmdline', 'utf8');
      } catch { continue; }
      if (command.includes(${JSON.stringify(program)}) && ids.some((id) => group.includes(id))) {
        process.kill(Number(pid), 'SIGKILL');
        console.log('killed');
      }
    }`;
  const overrides = JSON.stringify({
    spec: {
      nodeName,
      hostPID: true,
      containers: [
        {
          name: 'killer',
          image: imageName(images, 'gatewayctl'),
          command: ['node', '--eval', script],
          securityContext: { runAsUser: 0, capabilities: { drop: ['ALL'], add: ['KILL', 'SYS_PTRACE'] } },
        },
      ],
    },
  });
  const image = ['--image', imageName(images, 'gatewayctl'), '--restart=Never', `--overrides=${overrides}`];
  const started = await cluster.tryKubectl('run', 'killer', ...image);
  if (started.code !== 0) return `the cluster allows no pod with hostPID: ${started.err.trim()}`;
  try {
    const succeeded = '--for=jsonpath={.status.phase}=Succeeded';
    await cluster.kubectl('wait', 'pod/killer', succeeded, '--timeout', TIMEOUT);
    const log = await cluster.kubectl('logs', 'killer');
    if (!log.includes('killed')) throw new Error(`no process of ${pod} was found on ${nodeName}`);
    return undefined;
  } finally {
    await cluster.kubectl('delete', 'pod', 'killer', '--now');
  }
}
