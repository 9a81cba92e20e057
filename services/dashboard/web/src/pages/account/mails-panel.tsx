import { Switch } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { postJson } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { accountSettingsKey, useAccountSettings } from './use-account-settings.ts';

/** Switches the mails about used budgets and pools. */
export function MailsPanel() {
  const queryClient = useQueryClient();
  const settings = useAccountSettings();
  const change = useAction(async (thresholdMails: boolean) => {
    await postJson<undefined>('/api/account/mails', { thresholdMails });
    await queryClient.invalidateQueries({ queryKey: accountSettingsKey });
  });
  return (
    <Panel title="Mail" description="Owners of the account get these mails.">
      <QueryState query={settings} loading="Reading the settings" />
      {settings.data !== undefined && (
        <Switch
          label="When 80 % or 100 % of a pool or budget is used"
          checked={settings.data.thresholdMails}
          disabled={change.isPending}
          onChange={({ currentTarget }) => change.run(currentTarget.checked)}
        />
      )}
      <ErrorNotice error={change.error} />
    </Panel>
  );
}
