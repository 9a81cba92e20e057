import { Button } from '@mantine/core';
import { memo, useState } from 'react';
import { Panel } from '../../components/panel.tsx';
import type { State } from '../status/status-mark.tsx';
import { type GroupBy, groupModels, type ModelGroup, ROWS_AT_FIRST } from './group-models.ts';
import type { Model } from './matching-models.ts';
import { ModelTable } from './model-table.tsx';
import classes from './models.module.css';

interface ModelGroupsProps {
  models: readonly Model[];
  groupBy: GroupBy;
  stateOf: (model: Model) => State;
  /** Opens the details of a model. */
  onOpen: (id: string) => void;
}

/** Shows models in groups that fold. Hundreds of rows are not rendered again unless they change. */
export const ModelGroups = memo(function ModelGroups({ models, ...table }: ModelGroupsProps) {
  return groupModels(models, table.groupBy).map((group) => (
    // Opens or folds again when the filters make the list short or long.
    <Group key={`${group.title} ${group.isOpenAtFirst}`} group={group} table={table} />
  ));
});

interface GroupProps {
  group: ModelGroup;
  table: Omit<ModelGroupsProps, 'models'>;
}

function Group({ group: { title, models, isOpenAtFirst }, table }: GroupProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? models : models.slice(0, ROWS_AT_FIRST);
  return (
    <Panel title={`${title} (${models.length})`} fold={{ isOpen, toggle: () => setOpen(!isOpen) }}>
      <div className={classes.table}>
        <ModelTable caption={`Models: ${title}`} models={shown} {...table} />
      </div>
      {shown.length < models.length && (
        <Button variant="subtle" size="xs" onClick={() => setWhole(true)}>
          Show all {models.length}
        </Button>
      )}
    </Panel>
  );
}
