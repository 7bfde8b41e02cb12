export const m0: Omit<import('kubernetes-models/v1/ConfigMap').IConfigMap, 'kind' | 'apiVersion'> = {
  metadata: { name: 'sekisho', labels: { 'app.kubernetes.io/name': 'sekisho' } },
  data: {
    'sekisho.jsonc':
      '{\n  "profile": "coding",\n  "roots": ["/workspace"],\n  "state": "/state/team",\n  // The password comes from PGPASSWORD.\n  "store": { "url": "postgres://sekisho@database:5432/sekisho" },\n  "http": {\n    // The names that clients use; add the one of your ingress.\n    "allowedHosts": ["sekisho", "sekisho.sekisho.svc.cluster.local"],\n    // Calls that arrive while the Service still sends some here are answered.\n    "drainMs": 10000\n  }\n}\n',
  },
};
export const m1: Omit<import('kubernetes-models/apps/v1/StatefulSet').IStatefulSet, 'kind' | 'apiVersion'> = {
  metadata: { name: 'sekisho', labels: { 'app.kubernetes.io/name': 'sekisho' } },
  spec: {
    serviceName: 'sekisho-nodes',
    replicas: 2,
    selector: { matchLabels: { 'app.kubernetes.io/name': 'sekisho' } },
    template: {
      metadata: { labels: { 'app.kubernetes.io/name': 'sekisho' } },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 40,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          runAsGroup: 1000,
          fsGroup: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        initContainers: [
          {
            name: 'audit-key',
            image: 'registry.example/sekisho:0.1.0',
            command: ['install', '-D', '-m', '600', '/keys/audit.key', '/state/team/audit.key'],
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            volumeMounts: [
              { name: 'keys', mountPath: '/keys', readOnly: true },
              { name: 'state', mountPath: '/state' },
            ],
          },
        ],
        containers: [
          {
            name: 'sekisho',
            image: 'registry.example/sekisho:0.1.0',
            args: ['serve', '--http', '0.0.0.0:7040', '--config', '/etc/sekisho/sekisho.jsonc'],
            env: [
              {
                name: 'PGPASSWORD',
                valueFrom: { secretKeyRef: { name: 'sekisho-keys', key: 'postgres-password' } },
              },
            ],
            ports: [{ name: 'http', containerPort: 7040 }],
            startupProbe: {
              httpGet: { path: '/health', port: 'http', httpHeaders: [{ name: 'Host', value: 'localhost' }] },
              periodSeconds: 2,
              failureThreshold: 60,
            },
            livenessProbe: {
              httpGet: { path: '/health', port: 'http', httpHeaders: [{ name: 'Host', value: 'localhost' }] },
              periodSeconds: 10,
              timeoutSeconds: 5,
            },
            readinessProbe: {
              httpGet: { path: '/ready', port: 'http', httpHeaders: [{ name: 'Host', value: 'localhost' }] },
              periodSeconds: 2,
              timeoutSeconds: 5,
            },
            resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '2Gi' } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            volumeMounts: [
              { name: 'config', mountPath: '/etc/sekisho', readOnly: true },
              { name: 'state', mountPath: '/state' },
              { name: 'workspace', mountPath: '/workspace' },
              { name: 'temporary', mountPath: '/tmp' },
              { name: 'temporary', mountPath: '/var/tmp' },
            ],
          },
        ],
        volumes: [
          { name: 'config', configMap: { name: 'sekisho' } },
          {
            name: 'keys',
            secret: { secretName: 'sekisho-keys', items: [{ key: 'audit.key', path: 'audit.key' }] },
          },
          { name: 'temporary', emptyDir: {} },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'state' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
      },
      {
        metadata: { name: 'workspace' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '20Gi' } } },
      },
    ],
  },
};
export const m2: Omit<import('kubernetes-models/v1/Service').IService, 'kind' | 'apiVersion'> = {
  metadata: { name: 'sekisho', labels: { 'app.kubernetes.io/name': 'sekisho' } },
  spec: {
    selector: { 'app.kubernetes.io/name': 'sekisho' },
    ports: [{ name: 'http', port: 80, targetPort: 'http' }],
  },
};
export const m3: Omit<import('kubernetes-models/v1/Service').IService, 'kind' | 'apiVersion'> = {
  metadata: { name: 'sekisho-nodes', labels: { 'app.kubernetes.io/name': 'sekisho' } },
  spec: {
    clusterIP: 'None',
    selector: { 'app.kubernetes.io/name': 'sekisho' },
    ports: [{ name: 'http', port: 7040, targetPort: 'http' }],
  },
};
export const m4: Omit<
  import('kubernetes-models/policy/v1/PodDisruptionBudget').IPodDisruptionBudget,
  'kind' | 'apiVersion'
> = {
  metadata: { name: 'sekisho', labels: { 'app.kubernetes.io/name': 'sekisho' } },
  spec: { minAvailable: 1, selector: { matchLabels: { 'app.kubernetes.io/name': 'sekisho' } } },
};
