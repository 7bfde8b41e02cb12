import { text } from '../../../../contract/text/text.ts';
import { type Dialect, row } from '../dialect.ts';

/** Repositories of Maven and Gradle, whose uploads are files of the same paths. */
export const maven: Dialect = {
  name: 'maven',
  hosts: `repo.maven.apache.org repo1.maven.org plugins.gradle.org services.gradle.org downloads.gradle.org
    central.sonatype.com oss.sonatype.org s01.oss.sonatype.org dl.google.com maven.google.com
    jitpack.io maven.pkg.github.com repo.spring.io repo.clojars.org`.split(/\s+/),
  rows: [
    row('GET|HEAD /{path...}/{file}', 'read', text('downloads {file}', '{file} をダウンロードします')),
    row('PUT /{path...}/{file}', 'publish', text('publishes {file}', '{file} を公開します'), {
      // The checksums and signatures of a version follow its files.
      covers: '/{path}',
    }),
    row('POST /api/v1/publish{path...}', 'publish', text('publishes a bundle', 'バンドルを公開します')),
    row(
      'POST|PUT /service/local/{path...}',
      'publish',
      text('publishes a staged repository', 'ステージングしたリポジトリを公開します'),
    ),
  ],
};
