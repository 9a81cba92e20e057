import {
  type Dashboard,
  DashboardCursorSync,
  defaultDashboard,
  type Panel,
  type RowPanel,
  VariableRefresh,
  VariableSort,
} from '@grafana/schema';
import { DATASOURCE, panelOf, type RowSource } from './panel.ts';
import { PLANE_ROWS } from './plane-rows.ts';
import { PROCESS_ROWS } from './process-rows.ts';
import { PROVIDER_ROWS } from './provider-rows.ts';
import { REQUEST_ROWS } from './request-rows.ts';

export const DASHBOARD_ROWS: readonly RowSource[] = [
  ...REQUEST_ROWS,
  ...PLANE_ROWS,
  ...PROVIDER_ROWS,
  ...PROCESS_ROWS,
];

/** Grafana divides the width of a dashboard into 24. */
const ROW_WIDTH = 24;
const PANEL = { w: 8, h: 8 };
const HEADING_HEIGHT = 1;
const PER_LINE = ROW_WIDTH / PANEL.w;

/** The dashboard as Grafana stores it, in its classic schema, which every version from 10 on reads. */
export function dashboard(): Dashboard {
  return {
    ...defaultDashboard,
    uid: 'model-gateway',
    title: 'Model Gateway',
    description: 'What whoever runs the gateway must see. Made by npm run monitoring.',
    tags: ['model-gateway'],
    graphTooltip: DashboardCursorSync.Crosshair,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: {
      list: [
        { type: 'datasource', name: 'datasource', label: 'Prometheus', query: 'prometheus' },
        {
          type: 'query',
          name: 'provider',
          label: 'Provider',
          datasource: DATASOURCE,
          query: { qryType: 1, query: 'label_values(gateway_provider_breaker_open, provider)', refId: 'A' },
          refresh: VariableRefresh.onTimeRangeChanged,
          sort: VariableSort.alphabeticalAsc,
          multi: true,
          includeAll: true,
          allValue: '.*',
          current: { text: ['All'], value: ['$__all'] },
        },
      ],
    },
    panels: placed(DASHBOARD_ROWS),
  };
}

/** Puts panels side by side under the heading of their row, from the top to the bottom. */
function placed(rows: readonly RowSource[]): (Panel | RowPanel)[] {
  let id = 0;
  let top = 0;
  return rows.flatMap(({ panels, title }) => {
    const heading: RowPanel = {
      type: 'row',
      id: ++id,
      title,
      collapsed: false,
      gridPos: { x: 0, y: top, w: ROW_WIDTH, h: HEADING_HEIGHT },
      panels: [],
    };
    top += HEADING_HEIGHT;
    const below = panels.map(
      (source, index): Panel => ({
        id: ++id,
        ...panelOf(source),
        gridPos: {
          ...PANEL,
          x: (index % PER_LINE) * PANEL.w,
          y: top + Math.floor(index / PER_LINE) * PANEL.h,
        },
      }),
    );
    top += Math.ceil(panels.length / PER_LINE) * PANEL.h;
    return [heading, ...below];
  });
}
