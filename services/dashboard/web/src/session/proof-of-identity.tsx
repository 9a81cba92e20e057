import { Button, Divider, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ProofWaysResponse } from '../../../wire/security.ts';
import { getJson, postJson } from '../api/client.ts';
import { useAction } from '../api/use-action.ts';
import { CodeField } from '../components/code-field.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { DialogActions, Form } from '../components/form.tsx';
import { Hint } from '../components/hint.tsx';
import { PasswordField } from '../components/password-field.tsx';
import { QueryState } from '../components/query-state.tsx';
import { useForm } from '../components/use-form.ts';
import { passkeysWork, signWithPasskey } from './passkey.ts';
import { useSignInAgain } from './use-sign-in-again.ts';

interface ProofOfIdentityProps {
  onProved: () => void;
  onCancel: () => void;
}

/** Offers the ways in which the user can prove who they are. */
export function ProofOfIdentity({ onProved, onCancel }: ProofOfIdentityProps) {
  const found = useQuery({
    queryKey: ['re-authentication'],
    queryFn: ({ signal }) => getJson<ProofWaysResponse>('/api/re-authentication', {}, signal),
    staleTime: 0,
  });
  if (found.data === undefined) return <QueryState query={found} loading="Reading how you can confirm it" />;
  const { identityProviders, ways } = found.data;
  const typed = ways.find((way) => way !== 'passkey');
  const hasPasskey = ways.includes('passkey') && passkeysWork();
  const hasButtons = hasPasskey || identityProviders.length > 0;
  return (
    <Stack gap="md">
      <Text size="sm">
        This shows a secret or changes who may do what, and your last sign-in was more than ten minutes ago.
      </Text>
      {hasPasskey && <PasskeyButton onProved={onProved} />}
      {identityProviders.map((provider) => (
        <ProviderButton key={provider.id} provider={provider} onProved={onProved} />
      ))}
      {hasButtons && typed !== undefined && <Divider label="or" />}
      {typed !== undefined && <TypedProof way={typed} onProved={onProved} onCancel={onCancel} />}
      {!hasButtons && typed === undefined && <Hint>Sign out and in again, then repeat what you did.</Hint>}
    </Stack>
  );
}

/** Asks for the password, or for a code of the app. */
function TypedProof({ way, onProved, onCancel }: ProofOfIdentityProps & { way: 'password' | 'code' }) {
  const missing = way === 'code' ? 'Enter the code that the app shows.' : 'Enter your password.';
  const form = useForm({
    fields: { proof: '' },
    check: ({ proof }) => ({ proof: proof.trim() === '' ? missing : undefined }),
    send: async ({ proof }) => {
      await postJson<undefined>(`/api/re-authentication/${way}`, { [way]: proof });
      onProved();
    },
  });
  return (
    <Form label="Confirm that it is you" form={form}>
      {way === 'code' ? (
        <CodeField label="Code of your authenticator app" {...form.field('proof')} />
      ) : (
        <PasswordField label="Password" autoComplete="current-password" {...form.field('proof')} />
      )}
      <DialogActions form={form} submitLabel="Confirm" onCancel={onCancel} />
    </Form>
  );
}

function PasskeyButton({ onProved }: { onProved: () => void }) {
  const use = useAction(async () => {
    const path = '/api/re-authentication/passkey';
    const options = await postJson<PublicKeyCredentialRequestOptionsJSON>(`${path}/options`);
    await postJson<undefined>(path, { response: await signWithPasskey(options) });
    onProved();
  });
  return (
    <>
      <ErrorNotice error={use.error} />
      <Button fullWidth loading={use.isPending} onClick={use.run} data-autofocus>
        Use a passkey
      </Button>
    </>
  );
}

interface ProviderButtonProps {
  provider: ProofWaysResponse['identityProviders'][number];
  onProved: () => void;
}

function ProviderButton({ provider, onProved }: ProviderButtonProps) {
  const signInAgain = useSignInAgain(provider.id, onProved);
  return (
    <>
      <ErrorNotice error={signInAgain.error} />
      <Button variant="default" fullWidth loading={signInAgain.isPending} onClick={signInAgain.run}>
        Continue with {provider.name}
      </Button>
    </>
  );
}
