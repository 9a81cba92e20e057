import { Stack } from '@mantine/core';
import { useManagement } from '../../api/use-management.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { QueryState } from '../../components/query-state.tsx';
import { VerificationPanel } from '../verifications/verification-panel.tsx';
import { ControlPlanesPanel } from './control-planes-panel.tsx';
import { DataPlanesPanel } from './data-planes-panel.tsx';
import { StoragePanel } from './storage-panel.tsx';

/** Data planes report every 5 s. */
const REFETCH_MS = 5_000;

/** Shows the processes of the installation and its stores, and takes data planes out of traffic. */
export function FleetPage() {
  const fleet = useManagement('getFleet', {}, { refetchMs: REFETCH_MS });
  const body = fleet.data?.body;
  return (
    <>
      <PageHeader
        title="Fleet"
        description="Data planes, control planes, Postgres and Redis, and checks of the ledger."
      />
      <Stack gap="md">
        <QueryState query={fleet} loading="Reading the state of the fleet" />
        {body !== undefined && (
          <>
            <DataPlanesPanel fleet={body} />
            <ControlPlanesPanel fleet={body} />
          </>
        )}
        <StoragePanel />
        <VerificationPanel kind="ledger" />
      </Stack>
    </>
  );
}
