import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { SIGNED_IN_AGAIN } from '../../session/use-sign-in-again.ts';
import { identityProviderRefusal } from './identity-provider-refusal.ts';
import { MessagePage } from './message-page.tsx';

/**
 * Sends its window to an identity provider. After the sign-in, it tells the page that opened it, or shows why
 * the sign-in is no proof of identity.
 */
export function SignInAgainPage() {
  const [parameters] = useSearchParams();
  const providerId = parameters.get('provider');
  const refusal = identityProviderRefusal(parameters.toString());
  const { error, run } = useAction(async () => {
    const request = { providerId, callbackURL: '/sign-in-again', again: true };
    const { url } = await postJson<{ url: string }>('/api/auth/sign-in/oauth2', request);
    window.location.replace(url);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the window opens.
  useEffect(() => {
    if (refusal !== null) return;
    if (providerId !== null) return run();
    const channel = new BroadcastChannel(SIGNED_IN_AGAIN);
    channel.postMessage('done');
    channel.close();
    window.close();
  }, []);
  if (refusal !== null) {
    return (
      <MessagePage title="Not confirmed">
        <Alert color="orange" role="alert" icon={<IconAlertTriangle aria-hidden />}>
          {refusal}
        </Alert>
      </MessagePage>
    );
  }
  return (
    <MessagePage title={providerId === null ? 'Thank you' : 'One moment'}>
      <ErrorNotice error={error} onRetry={run} />
      <Text c="dimmed">
        {providerId === null ? 'Close this window to continue.' : 'Opening your identity provider.'}
      </Text>
    </MessagePage>
  );
}
