import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { influxAlarms } from './influx/influx-alarms.ts';
import { influxExplorer } from './influx/influx-explorer.ts';
import { influxOverview } from './influx/influx-overview.ts';
import { influxStates } from './influx/influx-states.ts';
import { alarms } from './postgres/alarms.ts';
import { completeness } from './postgres/completeness.ts';
import { connectorHealth } from './postgres/connector-health.ts';
import { plantOverview } from './postgres/plant-overview.ts';
import { propertyExplorer } from './postgres/property-explorer.ts';
import { states } from './postgres/states.ts';

/** All dashboards, by the name of their file. */
export const dashboards: Readonly<Record<string, Dashboard>> = {
  'plant-overview': plantOverview,
  'property-explorer': propertyExplorer,
  states,
  alarms,
  completeness,
  'connector-health': connectorHealth,
  'influx-overview': influxOverview,
  'influx-explorer': influxExplorer,
  'influx-states': influxStates,
  'influx-alarms': influxAlarms,
};
