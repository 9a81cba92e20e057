import { Text } from '@mantine/core';
import { Hint } from '../../components/hint.tsx';
import { Moment } from '../../components/moment.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import classes from './timeline.module.css';
import { type TimedReceipt, timelineSteps } from './timeline-steps.ts';

/** Shows what happened to a request and when. */
export function TimelinePanel({ receipt }: { receipt: TimedReceipt }) {
  return (
    <Panel
      title="Timeline"
      description="When a provider fails, the gateway tries the next one, then the fallback models. Failed attempts are free."
    >
      <ol className={`plain-list ${classes.steps}`} aria-label="Timeline">
        {timelineSteps(receipt).map(({ atMs, details, id, isFailure, title }) => (
          <li key={id} className={`${classes.step} ${isFailure ? classes.failed : ''}`}>
            <div>
              <Text size="sm" fw={600} className="break-anywhere">
                {title}
              </Text>
              {details.map((detail) => (
                <Hint key={detail} component="div">
                  <span className="break-anywhere">{detail}</span>
                </Hint>
              ))}
            </div>
            <Hint component="div" className={classes.time}>
              {atMs === null ? 'not recorded' : <Moment form="recent" ms={atMs} />}
              {atMs !== null && receipt.arrivedAtMs !== null && id !== 'arrival' && (
                <div>+{formatDuration(Math.max(0, atMs - receipt.arrivedAtMs))}</div>
              )}
            </Hint>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
