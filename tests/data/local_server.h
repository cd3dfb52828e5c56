// A web server of one file on 127.0.0.1, which can break connections and refuse ranges.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace hornbeam {

class LocalServer {
 public:
  struct Behaviour {
    std::string content;
    std::vector<size_t> break_after = {};  // of the first answers: bytes sent before it breaks off
    bool ranges = true;                    // whether parts of the file can be asked for
  };

  explicit LocalServer(Behaviour behaviour) : behaviour_(std::move(behaviour)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), length);
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    ::listen(listener_, 4);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }

  ~LocalServer() {
    stop();
    ::close(listener_);
  }

  // Answers nobody any more; the ranges asked for may then be read.
  void stop() {
    ::shutdown(listener_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
  const std::vector<size_t>& starts() const { return starts_; }  // of the answers, in order

 private:
  void serve() {
    while (true) {
      int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      answer(connection);
      ::close(connection);
    }
  }

  void answer(int connection) {
    std::string request;
    char piece[4096];
    while (request.find("\r\n\r\n") == request.npos) {
      ssize_t got = ::recv(connection, piece, sizeof(piece), 0);
      if (got <= 0) return;
      request.append(piece, static_cast<size_t>(got));
    }
    size_t range = behaviour_.ranges ? request.find("Range: bytes=") : request.npos;
    size_t start = range == request.npos ? 0 : std::stoul(request.substr(range + 13));
    std::string size = std::to_string(behaviour_.content.size());
    std::string head =
        range == request.npos
            ? "HTTP/1.1 200 OK\r\n"
            : "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " + std::to_string(start) +
                  "-" + std::to_string(behaviour_.content.size() - 1) + "/" + size + "\r\n";
    std::string body = behaviour_.content.substr(start);
    head += "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n";
    if (starts_.size() < behaviour_.break_after.size())
      body.resize(behaviour_.break_after[starts_.size()]);
    starts_.push_back(start);
    send_all(connection, head + body);
  }

  static void send_all(int connection, std::string_view text) {
    while (!text.empty()) {
      ssize_t sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<size_t>(sent));
    }
  }

  Behaviour behaviour_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<size_t> starts_;
  std::thread thread_;
};

}  // namespace hornbeam
