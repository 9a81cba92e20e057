import { Button, Stack } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { signWithPasskey } from '../../session/passkey.ts';
import { refreshSession } from '../../session/sign-out.ts';

/** Signs in with a passkey, without address and password. */
export function PasskeyButton() {
  const signIn = useAction(async () => {
    const path = '/api/auth/sign-in/passkey';
    const options = await postJson<PublicKeyCredentialRequestOptionsJSON>(`${path}/options`);
    await postJson<object>(path, { response: await signWithPasskey(options) });
    await refreshSession();
  });
  return (
    <Stack gap="sm">
      <ErrorNotice error={signIn.error} />
      <Button
        variant="default"
        size="md"
        fullWidth
        leftSection={<IconFingerprint size={20} aria-hidden />}
        loading={signIn.isPending}
        onClick={signIn.run}
      >
        Sign in with a passkey
      </Button>
    </Stack>
  );
}
