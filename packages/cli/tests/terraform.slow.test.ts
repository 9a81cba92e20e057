import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startGatewayctl } from './gatewayctl-fixture.ts';

const EXAMPLE = fileURLToPath(new URL('../../../deploy/terraform/main.tf', import.meta.url));
/** Folder with the binary of the provider Mastercard/restapi. Terraform itself is on the PATH. */
const PROVIDER = process.env.TERRAFORM_PROVIDERS;

it.skipIf(PROVIDER === undefined)(
  'the example for Terraform creates its objects once, changes them, and removes them again',
  async () => {
    await using gatewayctl = await startGatewayctl();
    copyFileSync(EXAMPLE, join(gatewayctl.folder, 'main.tf'));
    const config = `provider_installation {
      dev_overrides { "Mastercard/restapi" = ${JSON.stringify(PROVIDER)} }
      direct {}
    }`;
    const env = {
      PATH: process.env.PATH,
      TF_CLI_CONFIG_FILE: gatewayctl.file('terraform.rc', config),
      TF_VAR_admin_url: gatewayctl.adminUrl,
      TF_VAR_admin_key: await gatewayctl.adminKey(),
    };
    const terraform = (...args: string[]) =>
      new Promise<string>((resolve, reject) => {
        const options = { cwd: gatewayctl.folder, env };
        execFile('terraform', [...args, '-no-color', '-input=false'], options, (error, out, err) => {
          if (error === null) resolve(out);
          else reject(new Error(`${out}\n${err}`, { cause: error }));
        });
      });
    expect(await terraform('apply', '-auto-approve')).toContain('3 added, 0 changed, 0 destroyed');
    expect(await gatewayctl.json('pools', 'list', 'team@example.com')).toMatchObject([{ name: 'Monthly' }]);
    expect(await gatewayctl.json('rules', 'show', 'team@example.com', '--own')).toMatchObject({
      models: ['acme/*'],
      requests_per_minute: 100,
    });
    expect(await terraform('plan')).toContain('No changes.');
    const file = gatewayctl.file(
      'main.tf',
      readFileSync(EXAMPLE, 'utf8').replaceAll('Europe/Berlin', 'Asia/Tokyo'),
    );
    expect(await terraform('apply', '-auto-approve'), file).toContain('0 added, 1 changed, 0 destroyed');
    expect(await gatewayctl.json('accounts', 'list')).toMatchObject([{ timezone: 'Asia/Tokyo' }]);
    expect(await terraform('plan')).toContain('No changes.');
    expect(await terraform('destroy', '-auto-approve')).toContain('3 destroyed');
  },
);
