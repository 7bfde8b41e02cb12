// Shows pushed notices and opens their page. Caches nothing: every page comes from the server.
self.addEventListener('push', (event) => {
  const { id, title, body, link, locale } = event.data.json();
  event.waitUntil(
    self.registration.showNotification(title, {
      ...{ body, tag: id, lang: locale, requireInteraction: true },
      ...{ icon: '/console-assets/0/icon-192.png', data: { link } },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const there = new URL(event.notification.data.link, self.location.origin);
  // A pushed link never leads to another origin.
  if (there.origin === self.location.origin) event.waitUntil(self.clients.openWindow(there.href));
});
