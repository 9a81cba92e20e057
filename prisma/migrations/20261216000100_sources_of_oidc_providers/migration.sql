-- Several providers of OIDC_PROVIDERS shared the source `oidc`: gives what it assigned to the provider of the
-- person, the one of the latest sign-in that was stored. The single provider of OIDC_ISSUER keeps `oidc`.
CREATE TEMPORARY TABLE sources ON COMMIT DROP AS
SELECT DISTINCT ON (lower(u.email)) lower(u.email) AS email, 'oidc:' || c.provider_id AS source
FROM dashboard_users u JOIN dashboard_credentials c ON c.user_id = u.id
WHERE u.email_verified AND c.provider_id <> 'credential'
ORDER BY lower(u.email), c.created_at DESC, c.id;

DELETE FROM sources WHERE source = 'oidc:oidc';

UPDATE account_members m SET source = s.source FROM sources s WHERE m.source = 'oidc' AND m.email = s.email;

UPDATE installation_roles r SET source = s.source FROM sources s WHERE r.source = 'oidc' AND r.email = s.email;

UPDATE seats SET source = s.source FROM sources s JOIN accounts a ON a.email = s.email
WHERE seats.source = 'oidc' AND seats.account_id = a.id;
