import { text } from '../../../../contract/text/text.ts';
import type { Dialect } from '../dialect.ts';

/** Repositories of Maven and Gradle, whose uploads are files of the same paths. */
export const maven: Dialect = {
  name: 'maven',
  hosts: `repo.maven.apache.org repo1.maven.org plugins.gradle.org services.gradle.org downloads.gradle.org
    central.sonatype.com oss.sonatype.org s01.oss.sonatype.org dl.google.com maven.google.com
    jitpack.io maven.pkg.github.com repo.spring.io repo.clojars.org`.split(/\s+/),
  rows: [
    {
      of: 'GET|HEAD /{path...}/{file}',
      kind: 'read',
      says: text('downloads {file}', '{file} をダウンロードします'),
      examples: [
        'GET /maven2/org/slf4j/slf4j-api/2.0.9/slf4j-api-2.0.9.pom',
        'GET /m2/a/b/maven-metadata.xml.sha1',
      ],
    },
    {
      of: 'PUT /{path...}/{file}',
      kind: 'publish',
      says: text('publishes {file}', '{file} を公開します'),
      // The checksums and signatures of a version follow its files.
      covers: '/{path}',
      examples: ['PUT /maven2/a/b/1.0/b-1.0.jar x'],
    },
    {
      of: 'POST /api/v1/publish{path...}',
      kind: 'publish',
      says: text('publishes a bundle', 'バンドルを公開します'),
      examples: [
        'POST /api/v1/publisher/upload?publishingType=AUTOMATIC x',
        'POST /api/v1/publisher/deployment/7',
        'POST /api/v1/publish/versions/new {}',
      ],
    },
    {
      of: 'POST|PUT /service/local/{path...}',
      kind: 'publish',
      says: text('publishes a staged repository', 'ステージングしたリポジトリを公開します'),
      examples: ['POST /service/local/staging/bulk/promote {}'],
    },
  ],
};
