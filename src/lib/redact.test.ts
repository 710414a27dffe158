import { describe, expect, it } from 'vitest';
import { redact } from './redact.ts';

describe('redact', () => {
  it.each([
    'DB_PASSWORD=hunter22',
    'PGPASSWORD=hunter22 psql',
    'export MYSQL_ROOT_PASSWORD="hunter22"',
    'spring.datasource.dbPassword: hunter22',
    'GITHUB_TOKEN=hunter22hunter22',
    '{"authToken":"hunter22"}',
    '{"line":"GITLAB_TOKEN=\\"hunter22\\""}',
    'MY_API_KEY=hunter22',
    'OPENAI_APIKEY=hunter22',
    'AWS_SECRET_ACCESS_KEY=hunter22/hunter22+hunter22',
    'aws_secret_access_key = hunter22',
    'secretAccessKey: "hunter22"',
    'DJANGO_SECRET_KEY=hunter22',
    'APP_CLIENT_SECRET=hunter22',
    'GPG_PASSPHRASE=hunter22',
    '--db-password hunter22',
    'the password: hunter22',
    'api_key=hunter22',
    'https://maps.example/json?key=AIzahunter22hunter22hunter22hunter22hunter',
    'GOOGLE_AIzahunter22hunter22hunter22hunter22hunter',
  ])('hides the secret of %s', (text) => {
    const clean = redact(text, []);
    expect(clean).toContain('[secret]');
    expect(clean).not.toContain('hunter22');
  });

  it.each([
    'tokens=5',
    'max_tokens=128000',
    'total tokens: 1234567',
    'tokenizer=sentencepiece',
    'keyboard=qwertyuiop',
    'monkey=bananabanana',
    'secretary=Johanna-Maria',
    'sort_key=created_at_desc',
    '?key=overview-of-the-page',
    'grep reset_password src/accounts/reset.ts',
    'AIza is how keys of Google begin',
  ])('leaves %s as it is', (text) => {
    expect(redact(text, [])).toBe(text);
  });

  it('keeps the rest of the line and the name of the variable before the secret', () => {
    expect(redact('PGPASSWORD=hunter22 psql -h db.example && ls', [])).toBe('PG[secret] psql -h db.example && ls');
  });
});
