import { Alert, Button, Group, NativeSelect } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AccountSettings, SetCalendarRequest } from '../../../../wire/account-settings.ts';
import { postJson } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { useForm } from '../../components/use-form.ts';
import { accountSettingsKey, useAccountSettings } from './use-account-settings.ts';

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const DAY_CHOICES = DAYS.map((label) => ({ value: label.toLowerCase(), label }));

/** Sets the time zone and the first day of the week in which budgets count. */
export function CalendarPanel() {
  const settings = useAccountSettings();
  return (
    <Panel
      title="Budget periods"
      description="All budgets of the account count days, weeks and months in this time zone."
    >
      <QueryState query={settings} loading="Reading the time zone" />
      {settings.data !== undefined && <CalendarForm settings={settings.data} />}
    </Panel>
  );
}

function CalendarForm({ settings: { timezone, weekStarts } }: { settings: AccountSettings }) {
  const queryClient = useQueryClient();
  const [isSaved, setSaved] = useState(false);
  const form = useForm({
    fields: { timezone, weekStarts },
    check: () => ({}),
    send: async (values) => {
      setSaved(false);
      const request: SetCalendarRequest = values;
      await postJson<undefined>('/api/account/calendar', request);
      await queryClient.invalidateQueries({ queryKey: accountSettingsKey });
      setSaved(true);
    },
  });
  return (
    <Form label="Budget periods" form={form}>
      <NativeSelect label="Time zone" data={timezones(timezone)} {...form.field('timezone')} />
      <NativeSelect label="First day of the week" data={DAY_CHOICES} {...form.field('weekStarts')} />
      <ErrorNotice error={form.error} />
      {isSaved && (
        <Alert color="green" role="status" icon={<IconCheck aria-hidden />}>
          Saved. Budgets count in these periods from now on.
        </Alert>
      )}
      <Group>
        <Button type="submit" variant="default" loading={form.isPending}>
          Save
        </Button>
      </Group>
    </Form>
  );
}

/** Lists the time zones that the browser knows, and the present one. */
function timezones(present: string): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), present])];
}
