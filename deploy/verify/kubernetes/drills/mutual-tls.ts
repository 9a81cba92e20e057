import { run } from '../../command.ts';
import type { Images } from '../images.ts';
import type { Trial } from '../trial.ts';
import { judge, underLoad } from '../trial.ts';

const DAYS = '2';

/**
 * Turns on mutual TLS while the services run. Services with and without it cannot talk during that rollout,
 * so the load starts after it.
 */
export async function mutualTls(trial: Trial, images: Images): Promise<void> {
  const { installation, check } = trial;
  const { gateway } = installation;
  await createCertificates(trial);
  await installation.install(images, { components: ['grpc-tls'] });

  const status = ['node', 'packages/cli/src/main.ts', 'status'];
  const plain = await gateway.tryKubectl('exec', 'gatewayctl', '--', ...status);
  check(
    'mutual TLS: without a certificate',
    plain.code !== 0,
    plain.code === 0 ? 'let in' : (plain.err.split('\n')[0] ?? ''),
  );
  await installation.useCertificate();
  const result = await underLoad(trial, 'tls', async () => {
    await gateway.kubectl('rollout', 'restart', 'deployment/data-plane');
    await installation.rolledOut();
  });
  await judge(trial, 'mutual TLS: data planes rolled', result);
}

/** Creates the Secret as cert-manager would: a CA, and a certificate for control-plane. */
async function createCertificates({ installation }: Trial): Promise<void> {
  const [ca, caKey, key, request, certificate] = ['ca.crt', 'ca.key', 'tls.key', 'tls.csr', 'tls.crt'].map(
    (name) => installation.path(name),
  ) as [string, string, string, string, string];
  const extensions = installation.write('tls.ext', 'subjectAltName=DNS:control-plane\n');
  const fresh = ['-newkey', 'rsa:2048', '-nodes'];
  const selfSigned = ['-x509', ...fresh, '-days', DAYS, '-subj', '/CN=verify', '-keyout', caKey, '-out', ca];
  await run('openssl', ['req', ...selfSigned]);
  await run('openssl', ['req', ...fresh, '-subj', '/CN=control-plane', '-keyout', key, '-out', request]);
  const signed = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-days', DAYS, '-extfile', extensions];
  await run('openssl', ['x509', '-req', '-in', request, ...signed, '-out', certificate]);
  const files = [ca, certificate, key].map((file) => `--from-file=${file}`);
  await installation.gateway.kubectl('create', 'secret', 'generic', 'model-gateway-grpc-tls', ...files);
}
