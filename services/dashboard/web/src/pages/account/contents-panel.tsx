import { Alert, Button, Group, NativeSelect, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountSettings, SetContentsRequest } from '../../../../wire/account-settings.ts';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useForm } from '../../components/use-form.ts';
import { useMay } from '../../session/use-may.ts';
import { accountSettingsKey, useAccountSettings } from './use-account-settings.ts';

const MAX_DAYS = 30;
const DAY_CHOICES = Array.from({ length: MAX_DAYS }, (_, index) => ({
  value: String(index + 1),
  label: index === 0 ? '1 day' : `${index + 1} days`,
}));

/** Turns contents of requests on or off, for owners; others see whether they are on. */
export function ContentsPanel() {
  const settings = useAccountSettings();
  const isOwner = useMay('owner');
  return (
    <Panel
      title="Contents of requests"
      description="Prompts and responses are stored only if an owner of the account turns that on."
    >
      <QueryState query={settings} loading="Reading the setting" />
      {settings.data !== undefined && <State contents={settings.data.contents} />}
      {settings.data !== undefined &&
        (isOwner ? (
          <Setting contents={settings.data.contents} />
        ) : (
          <Hint>Only an owner of the account can change this.</Hint>
        ))}
    </Panel>
  );
}

type Contents = Pick<AccountSettings, 'contents'>;

function State({ contents }: Contents) {
  if (contents === null) return <Text size="sm">Off. Nothing is stored.</Text>;
  const { days, sinceMs } = contents;
  return (
    <Text size="sm">
      On since <Moment ms={sinceMs} />. Contents are deleted after {days === 1 ? '1 day' : `${days} days`}.
    </Text>
  );
}

function Setting({ contents }: Contents) {
  const queryClient = useQueryClient();
  const [isSaved, setSaved] = useState(false);
  const [asksToTurnOff, setAsksToTurnOff] = useState(false);
  const send = async (days: number | null) => {
    setSaved(false);
    const request: SetContentsRequest = { days };
    await postJson<undefined>('/api/account/contents', request);
    await queryClient.invalidateQueries({ queryKey: accountSettingsKey });
    setSaved(true);
  };
  const form = useForm({
    fields: { days: String(contents?.days ?? 7) },
    check: () => ({}),
    send: ({ days }) => send(Number(days)),
  });
  const turningOff = useAction(async () => {
    await send(null);
    setAsksToTurnOff(false);
  });
  return (
    <>
      {contents === null && <Meaning />}
      <Form label="Contents of requests" form={form}>
        <NativeSelect label="Delete after" data={DAY_CHOICES} {...form.field('days')} />
        <ErrorNotice error={form.error} />
        {isSaved && (
          <Alert color="green" role="status" icon={<IconCheck aria-hidden />}>
            Saved. It applies from the next request.
          </Alert>
        )}
        <Group>
          <Button type="submit" variant="default" loading={form.isPending}>
            {contents === null ? 'Turn on' : 'Save'}
          </Button>
          {contents !== null && (
            <Button variant="default" c="red" onClick={() => setAsksToTurnOff(true)}>
              Turn off
            </Button>
          )}
        </Group>
      </Form>
      <ConfirmDialog
        subject={asksToTurnOff ? 'contents' : null}
        title="Turn contents off?"
        confirmLabel="Turn off and delete"
        action={turningOff}
        onClose={() => setAsksToTurnOff(false)}
      >
        {() => <Text size="sm">This deletes all stored contents at once. They cannot be restored.</Text>}
      </ConfirmDialog>
    </>
  );
}

function Meaning() {
  return (
    <Text component="ul" size="sm" m={0} pl="lg">
      <li>
        The bodies of requests with keys of this account, and of their responses, are stored: up to 256 KiB
        each. Pictures and recordings are stored only as type and size.
      </li>
      <li>They are encrypted. Keys and headers are never stored.</li>
      <li>
        Owners and admins of this account and operators of the gateway can look at them. The audit log shows
        each look.
      </li>
      <li>Turning off deletes all of them at once.</li>
    </Text>
  );
}
