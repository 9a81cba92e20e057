CREATE TABLE reported_processes (
  id text PRIMARY KEY,
  kind text NOT NULL,
  report jsonb NOT NULL,
  reported_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  drained_at timestamptz(3)
);

CREATE TABLE verifications (
  id text PRIMARY KEY,
  kind text NOT NULL,
  control_plane_id text NOT NULL,
  started_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  ended_at timestamptz(3),
  agrees boolean,
  result jsonb,
  problem text
);

CREATE INDEX verifications_kind_started_at_idx ON verifications (kind, started_at);
