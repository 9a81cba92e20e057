import { Code } from '@mantine/core';
import { Hint } from '../../components/hint.tsx';
import { Identifier } from '../../components/identifier.tsx';
import { ManagedTable } from '../../components/managed-table.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { actorName } from '../../pages/audit/actor-name.ts';

/** Shows who changed what in an account, or of one object. */
export function AuditPanel({ query }: { query: { account_id?: string; object_id?: string } }) {
  return (
    <Panel title="Audit log" description="Who changed what, the newest first.">
      <ManagedTable
        operation="listAuditEvents"
        request={{ query: { ...query, limit: 20 } }}
        caption="Audit events"
        idOf={({ id }) => id}
        columns={[
          { id: 'action', header: 'Action', cell: ({ action }) => <Code>{action}</Code> },
          {
            id: 'object',
            header: 'Object',
            cell: ({ object }) => <Identifier id={object.name || object.id} />,
          },
          {
            id: 'actor',
            header: 'Done by',
            cell: ({ actor }) => <Identifier id={actorName(actor)} />,
          },
          { id: 'at', header: 'When', cell: ({ at }) => <Moment ms={Date.parse(at)} /> },
        ]}
        empty={<Hint>Nothing has happened yet.</Hint>}
      />
    </Panel>
  );
}
